/** The parsed fields of an incident. */
import { ByKeys, canonicalPart, fieldsOf } from '#json/canonical-json.ts';
import { isWhole, LONG_MAX, toWholeNumber } from '#json/values.ts';
import type { Incident } from '#records/types.ts';
import { SHOOT_OUT_PHASES } from '#soccer/soccer.ts';
import { isAhead, type MessageContext } from './head.ts';
import type { ExactEvent, IncidentFields } from './messages.ts';

const bodyFields = new ByKeys((keys) => fieldsOf(keys.filter((key) => key !== 'action')));
const bodyFieldsWithoutTime = new ByKeys((keys) =>
  fieldsOf(keys.filter((key) => key !== 'action' && key !== 'ut')),
);

/** Where an incident is, and what stands for a time that it lacks. */
type IncidentContext = {
  readonly context: MessageContext;
  /** The time of its message or list, Unix seconds. */
  readonly ut: number;
  /** Its path in the message. */
  readonly path: string;
};

/**
 * Returns an incident. The time of its message stands for its own where it has none, or one of a wrong clock: unlike the time
 * of the receipt, that is the same each time that the message is received. A wrong time is left out of the body and named in
 * `unread`.
 */
export function incidentOf(
  fields: IncidentFields,
  record: object,
  found: IncidentContext,
  unread: string[],
): Incident {
  const own = toWholeNumber(fields.ut);
  const isWrong = own !== null && isAhead(own, found.context);
  if (isWrong) unread.push(`${found.path}.ut`);
  return {
    id: fields.id,
    ut: own === null || isWrong ? found.ut : own,
    incident_id: Number(fields.incident_id),
    participant_id: toWholeNumber(fields.participant_id),
    counts_for: fields.for ?? null,
    confirmation: fields.confirmation ?? null,
    event_status_id: toWholeNumber(fields.event_status_id),
    event_time: secondsOf(fields.event_time),
    parent_id: fields.parent_id ?? null,
    body: canonicalPart(record, (isWrong ? bodyFieldsWithoutTime : bodyFields).of(record)),
    message_id: null,
  };
}

/** Parses "MM:SS". Returns seconds; null without a value. */
function secondsOf(time: string | null | undefined): number | null {
  if (!time) return null;
  const colon = time.indexOf(':');
  return Number(time.slice(0, colon)) * 60 + Number(time.slice(colon + 1));
}

/**
 * Adds to an incident what the message says that reported it: its number, which orders records of one second, and the status
 * of the event, where that is one of the shoot-out and the incident has none.
 */
export function reportedBy(
  incident: Incident,
  messageId: string,
  { status_id }: Pick<ExactEvent, 'status_id'>,
): Incident {
  incident.message_id = isWhole(messageId, LONG_MAX) ? Number(messageId) : null;
  const status = toWholeNumber(status_id);
  if (incident.event_status_id === null && status !== null && SHOOT_OUT_PHASES.has(status))
    incident.event_status_id = status;
  return incident;
}
