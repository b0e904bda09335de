/** Restores a provider message from its normalized form, in the types that its client takes. Pure. */
import { hash } from 'node:crypto';
import { messageJson, providerEvent, providerIncident, withFlags } from '#contract/provider-message.ts';
import { NO_SOURCE } from '#domain/event.ts';
import type { Event, NormalizedMessage } from '#records/types.ts';
import type { FeedRow } from '../store/feed.ts';
import { isNullable, withoutNulls } from './fields.ts';

/** Ids that convert to a number and back unchanged. */
const NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
/** Lowest number that stands for an id that is no number; provider ids are far below. */
const FIRST_MADE_ID = 2 ** 52;

/** Renders a message of type `incident` or `event`, or that deletes its event; null for others and for an unreadable one: the feed has none. */
export function renderFeedMessage(message: NormalizedMessage): FeedRow | null {
  const { incident, unreadable, absence, uuid, source, ut, event_id, message_id } = message;
  const type = absence?.confirmed === true ? 'event' : message.type;
  if ((type !== 'incident' && type !== 'event') || unreadable !== null) return null;
  const record = incident?.incident ?? null;
  const flags = record && withFlags(record);
  const action = incident?.deleted === true ? 'delete' : 'update';
  const envelope = { id: numberOf(message_id), ...(uuid && { uuid }), type, source: source ?? NO_SOURCE, ut };
  return {
    json: messageJson(
      envelope,
      record === null ? {} : { incident: withoutNulls(providerIncident(record, action)) },
      providerEvent(event_id, message.event && shownEvent(message.event)),
    ),
    incident: record === null ? 0 : 1,
    important: flags?.important === true ? 1 : 0,
    for_trader: flags?.important_for_trader === true ? 1 : 0,
    competition_id: message.event?.competition_id ?? null,
  };
}

/** Returns an event, and its sides, without the nulls that clients refuse. */
function shownEvent(event: Event): Event {
  const { participants } = event;
  // A list as it was read is written once for all messages that repeat it.
  const asRead = participants.every(({ other }) => !Object.values(other).includes('null'));
  return {
    ...event,
    nulls: event.nulls.filter(isNullable),
    other: withoutNulls(event.other, 'null'),
    participants: asRead
      ? participants
      : participants.map((side) => ({ ...side, other: withoutNulls(side.other, 'null') })),
  };
}

/** Returns the id of a message as a number; one that is no number is hashed, so that every replica renders the same. */
function numberOf(messageId: string): number {
  if (NUMBER.test(messageId)) return Number(messageId);
  return FIRST_MADE_ID + Number.parseInt(hash('sha256', messageId, 'hex').slice(0, 12), 16);
}
