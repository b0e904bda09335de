/** Builds the messages that the provider no longer has an event, or that an operator ended it (law 2). */
import { NO_EVENT } from '#domain/event.ts';
import type { Absence, NormalizedMessage } from '#records/types.ts';
import { base, type MessageContext } from './head.ts';

/** Returns the message of an absence. `ut`: Unix seconds. A confirmed one deletes the event as a message of the provider does. */
export function absenceMessage(
  eventId: number,
  ut: number,
  absence: Absence,
  context: MessageContext,
): NormalizedMessage {
  return {
    ...base(`absence/${eventId}/${ut}`, eventId, ut, context),
    type: 'event_absence',
    event: absence.confirmed ? { ...NO_EVENT, action: 'delete' } : null,
    absence,
  };
}
