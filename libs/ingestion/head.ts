/** The fields that every normalized message has: where it came from, and when. */

import { PoisonError } from '#errors/touchline-error.ts';
import { INT_MAX, isWhole } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { type Envelope, UT_MAX } from './messages.ts';

/** The origin of a message. */
export type MessageContext = {
  /** The ingress service. */
  readonly origin: 'webhook' | 'feed' | 'operator';
  /** Key of the raw-messages record that contains the message. */
  readonly deliveryId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
};

/** Maximum lead of a time of the provider over the receipt of its message, milliseconds. A larger one is a wrong clock. */
const MAX_LEAD_MS = 300_000;

/**
 * Whether a time of the provider, Unix seconds, comes from a wrong clock: no record may hold its place against the corrections
 * of hours to come.
 */
export function isAhead(ut: number, { receivedAt }: Pick<MessageContext, 'receivedAt'>): boolean {
  return ut * 1_000 > receivedAt + MAX_LEAD_MS;
}

/** Returns the time of the receipt, Unix seconds. */
export function receiptOf({ receivedAt }: Pick<MessageContext, 'receivedAt'>): number {
  return Math.floor(receivedAt / 1_000);
}

/**
 * Returns a time that is not of a wrong clock: `ut`, or the time of the receipt instead of one that is. Names `path` in
 * `unread` then.
 */
export function plausibleTime(ut: number, context: MessageContext, path: string, unread: string[]): number {
  if (!isAhead(ut, context)) return ut;
  unread.push(path);
  return receiptOf(context);
}

/** Returns a message without content. `unread`: paths of what could not be read. */
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
    event_fields: [],
    incident: null,
    snapshot: null,
    body: null,
    unread: [],
    unreadable: null,
    deleted: [],
    absence: null,
  };
}

/** Returns the fields of a message beside its content. A `source` that is no number becomes null. */
export function headOf(
  { id, uuid, source, ut, answered_at }: Envelope,
  eventId: number,
  context: MessageContext,
  unread: string[],
) {
  const messageId = id ?? uuid ?? null;
  if (messageId === null) throw new PoisonError('UNKNOWN_SHAPE', 'id: expected an id or a uuid');
  const own = Number(ut);
  return {
    ...base(String(messageId), eventId, plausibleTime(own, context, 'ut', unread), context),
    // Right or wrong: readers must know how far the provider's clock is from ours.
    content_at:
      (context.origin === 'feed' && isWhole(answered_at, UT_MAX) ? Number(answered_at) : own) * 1_000,
    uuid: uuid ?? null,
    source: isWhole(source, INT_MAX) ? Number(source) : null,
  };
}

/** Returns paths sorted, each once. */
export function sortedPaths(unread: string[]): string[] {
  return unread.length < 2 ? unread : [...new Set(unread)].sort();
}
