/** The fields that every normalized message has: where it came from, and when. */

import { NO_EVENT } from '#domain/event.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import { number, textId } from '#json/kinds.ts';
import { type RawRecord, recordReader } from '#json/records.ts';
import { INT_MAX, isWhole, LONG_MAX } from '#json/values.ts';
import type { Absence, NormalizedMessage } from '#records/types.ts';

export type MessageContext = {
  readonly origin: 'webhook' | 'feed' | 'operator';
  /** Key of the raw-messages record that contains the message. */
  readonly deliveryId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
};

/** Maximum `ut`: the last second of the year 9999, Unix seconds. A larger one is in milliseconds or damaged. */
export const UT_MAX = 253_402_300_799;

/** Maximum lead of a time of the provider over the receipt of its message, milliseconds. A larger one is a wrong clock. */
const MAX_LEAD_MS = 300_000;

/** Whether a time of the provider, Unix seconds, is of a wrong clock: it must not win against the corrections of hours to come. */
function isAhead(ut: number, { receivedAt }: Pick<MessageContext, 'receivedAt'>): boolean {
  return ut * 1_000 > receivedAt + MAX_LEAD_MS;
}

export function receiptOf({ receivedAt }: Pick<MessageContext, 'receivedAt'>): number {
  return Math.floor(receivedAt / 1_000);
}

/** Returns `ut`, or where it is of a wrong clock `instead`, by default the time of the receipt; names `path` in `unread` then. */
export function plausibleTime(
  ut: number,
  context: MessageContext,
  path: string,
  unread: Set<string>,
  instead = receiptOf(context),
): number {
  if (!isAhead(ut, context)) return ut;
  unread.add(path);
  return instead;
}

export function base(
  messageId: string,
  eventId: number,
  ut: number,
  context: MessageContext,
): Omit<NormalizedMessage, 'type'> {
  return {
    message_id: messageId,
    uuid: null,
    source: null,
    origin: context.origin,
    delivery_id: context.deliveryId,
    event_id: eventId,
    ut,
    received_at: context.receivedAt,
    content_at: ut * 1_000,
    event: null,
    reported: null,
    clock: null,
    incident: null,
    snapshot: null,
    other: {},
    unread: [],
    unreadable: null,
    deleted: [],
    absence: null,
  };
}

const readIds = recordReader({ id: number(LONG_MAX, 1) });

/** Returns the id of an event, from 1; null where it cannot be read. */
export function readEventId({ id }: RawRecord): number | null {
  return readIds({ id }, '', new Set()).values.id;
}

const envelope = recordReader({ id: textId, uuid: textId, ut: number(UT_MAX) });

/** Returns what all messages have, null where it cannot be read. `uuid` replaces a missing or unreadable `id`. */
export function readEnvelope({ id, uuid, ut }: RawRecord, unread: Set<string>) {
  return envelope({ id, uuid, ut }, '', unread).values;
}

/** Returns the fields of a message beside its content. A `source` that is no number becomes null. Throws `PoisonError`. */
export function headOf(
  message: RawRecord,
  eventId: number,
  context: MessageContext,
  unread: Set<string>,
): Omit<NormalizedMessage, 'type'> {
  const { id, uuid, ut } = readEnvelope(message, unread);
  const { source, answered_at } = message;
  const messageId = id ?? uuid;
  if (messageId === null) throw new PoisonError('UNKNOWN_SHAPE', 'id: expected an id or a uuid');
  if (ut === null) throw new PoisonError('UNKNOWN_SHAPE', `ut: expected a whole number from 0 to ${UT_MAX}`);
  return {
    ...base(messageId, eventId, plausibleTime(ut, context, 'ut', unread), context),
    // Of an event that the poller read, `api.timestamp` of the answer. Right or wrong: readers must know how far the provider's clock is from ours.
    content_at:
      (context.origin === 'feed' && isWhole(answered_at, UT_MAX) ? Number(answered_at) : ut) * 1_000,
    uuid,
    source: isWhole(source, INT_MAX) ? Number(source) : null,
  };
}

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
