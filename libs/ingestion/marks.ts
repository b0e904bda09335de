/**
 * Marks: messages that say to a match that one about it could not be read. Without one, the match would be believed as if
 * nothing had been sent.
 */
import { toWholeNumber } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { base, isAhead, type MessageContext, receiptOf } from './head.ts';
import { canonicalWord, eventId } from './kinds.ts';
import { envelopeFields } from './messages.ts';
import { isRecord, repairRecord } from './records.ts';
import { repairEnvelope } from './repair.ts';

/** Types of messages without any field of match state: a match loses nothing with one. */
const WITHOUT_STATE: ReadonlySet<string> = new Set(['event_keep_alive', 'events_lineups']);

/**
 * Returns the mark of an unreadable message, by the readable parts of the message; null without a readable event, or where the
 * message says nothing of its state. `index`: that of the message in its delivery, which names a message without an id.
 */
export function markOfMessage(
  message: unknown,
  reason: string,
  context: MessageContext,
  index: number,
): NormalizedMessage | null {
  if (!isRecord(message) || !isRecord(message.data) || !isRecord(message.data.event)) return null;
  if (typeof message.type === 'string' && WITHOUT_STATE.has(canonicalWord(message.type))) return null;
  const event = repairRecord({ id: message.data.event.id }, { id: EVENT_ID }, '', new Set());
  if (!EVENT_ID.exact.safeParse(event.id).success) return null;
  const { id, uuid, ut } = repairEnvelope(message, new Set());
  const known = envelopeFields.ut.exact.safeParse(ut).success ? toWholeNumber(ut) : null;
  const messageId = String(id ?? uuid ?? `unread/${context.deliveryId}/${index}`);
  return markOf({ messageId, eventId: Number(event.id), time: known ?? receiptOf(context) }, reason, context);
}

const EVENT_ID = eventId();

/** Returns the mark of an unreadable message or incident list. `time`: Unix seconds. */
export function markOf(
  { messageId, eventId, time }: { messageId: string; eventId: number; time: number },
  reason: string,
  context: MessageContext,
): NormalizedMessage {
  const ut = isAhead(time, context) ? receiptOf(context) : time;
  return { ...base(messageId, eventId, ut, context), type: 'event', unreadable: reason };
}
