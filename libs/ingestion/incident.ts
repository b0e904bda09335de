import { PoisonError } from '#errors/touchline-error.ts';
import {
  int,
  isEmpty,
  type Kind,
  long,
  number,
  oneOf,
  text,
  textId,
  UNREADABLE,
  yesNo,
} from '#json/kinds.ts';
import { each, isRecord, listOf, record, recordReader, withOther } from '#json/records.ts';
import { INT_MAX, isWhole, LONG_MAX } from '#json/values.ts';
import type { Event, Incident } from '#records/types.ts';
import { SHOOT_OUT_PHASES } from '#soccer/soccer.ts';
import { type MessageContext, plausibleTime, UT_MAX } from './head.ts';

const readConfirmation = oneOf('confirmed', 'tbd', 'cancelled');

/** The confirmation of an incident. One that is no known word is `tbd`: neither certain nor void. */
const confirmation: Kind<string> = (value, path, unread) => {
  const found = readConfirmation(value, path, unread);
  if (found !== UNREADABLE) return found;
  unread.add(path);
  return 'tbd';
};

const MATCH_TIME = /^([0-9]{1,4}):([0-5][0-9])$/;

/** Minutes and seconds of match time, MM:SS, as seconds; the minutes may exceed 99. */
const matchTime: Kind<number> = (value) => {
  const found = typeof value === 'string' ? MATCH_TIME.exec(value.trim()) : null;
  if (found !== null) return Number(found[1]) * 60 + Number(found[2]);
  return isEmpty(value) ? null : UNREADABLE;
};

const incidentReader = recordReader({
  ...each(textId, 'id', 'parent_id'),
  action: oneOf('insert', 'update', 'delete'),
  ...each(int, 'incident_id', 'event_status_id'),
  ...each(long, 'participant_id', 'subparticipant_id'),
  ...each(text, 'incident_name', 'participant_name', 'subparticipant_name', 'event_status_name'),
  event_time: matchTime,
  for: oneOf('all', 'own', 'rival', 'none'),
  confirmation,
  ...each(yesNo, 'game_break', 'important', 'important_for_trader'),
  attribute_ids: listOf(long),
  additional_info: record(
    {
      ...each(long, 'assistant_id', 'goalkeeper_id', 'secondary_assistant_id'),
      ...each(text, 'assistant_name', 'goalkeeper_name', 'secondary_assistant_name'),
    },
    withOther,
  ),
  ut: number(UT_MAX),
});

/** Where an incident is (`at`: in an error). `ut`: the time of its message or list, Unix seconds, for one that it lacks. */
type IncidentContext = Readonly<{ context: MessageContext; ut: number; path: string; at: string }>;

/** Reads an incident, and whether its record deletes it. Without a plausible time it has its message's. Throws `PoisonError`. */
export function readIncident(
  raw: unknown,
  { context, ut, path, at }: IncidentContext,
  unread: Set<string>,
): { readonly incident: Incident; readonly deleted: boolean } {
  if (!isRecord(raw)) throw new PoisonError('UNKNOWN_SHAPE', `${at}: expected an object`);
  const { values, other } = incidentReader(raw, path, unread);
  const { id, incident_id, action, for: counts_for, attribute_ids, ut: own, ...fields } = values;
  if (id === null) throw new PoisonError('UNKNOWN_SHAPE', `${at}.id: expected text of 1 to 255 bytes`);
  if (incident_id === null)
    throw new PoisonError('UNKNOWN_SHAPE', `${at}.incident_id: expected a whole number from 0 to ${INT_MAX}`);
  const incident = {
    id,
    incident_id,
    ...fields,
    ut: own === null ? ut : plausibleTime(own, context, `${path}.ut`, unread, ut),
    counts_for,
    attribute_ids: attribute_ids ?? [],
    message_id: null,
    other,
  };
  return { incident, deleted: action === 'delete' };
}

/** Adds the message's number to an incident, and the status of the event where that is one of the shoot-out and it has none. */
export function reportedBy(
  incident: Incident,
  messageId: string,
  { status_id }: Pick<Event, 'status_id'>,
): Incident {
  incident.message_id = isWhole(messageId, LONG_MAX) ? Number(messageId) : null;
  if (incident.event_status_id === null && SHOOT_OUT_PHASES.has(status_id))
    incident.event_status_id = status_id;
  return incident;
}
