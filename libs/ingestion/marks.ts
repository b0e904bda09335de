/** Marks: a mark takes the place of an unreadable message on normalized-messages, so that the guard of its match closes. */

import { canonicalWord } from '#json/kinds.ts';
import { isRecord } from '#json/records.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { base, isAhead, type MessageContext, readEnvelope, readEventId, receiptOf } from './head.ts';

/** Types of messages without any field of match state: a match loses nothing with one. */
const WITHOUT_STATE: ReadonlySet<string> = new Set(['event_keep_alive', 'events_lineups']);

/**
 * Returns the mark of an unreadable message, with the id and time that can be read; null where its event cannot be read, or its
 * type has no effect on match state. `index`: position of the message in its delivery, the id of a message without one.
 */
export function markOfMessage(
  message: unknown,
  reason: string,
  context: MessageContext,
  index: number,
): NormalizedMessage | null {
  if (!isRecord(message) || !isRecord(message.data) || !isRecord(message.data.event)) return null;
  if (typeof message.type === 'string' && WITHOUT_STATE.has(canonicalWord(message.type))) return null;
  const eventId = readEventId(message.data.event);
  if (eventId === null) return null;
  const { id, uuid, ut } = readEnvelope(message, new Set());
  const messageId = id ?? uuid ?? `unread/${context.deliveryId}/${index}`;
  return markOf({ messageId, eventId, time: ut ?? receiptOf(context) }, reason, context);
}

/** Returns the mark of an unreadable message or incident list. `time`: Unix seconds. */
export function markOf(
  { messageId, eventId, time }: { messageId: string; eventId: number; time: number },
  reason: string,
  context: MessageContext,
): NormalizedMessage {
  const ut = isAhead(time, context) ? receiptOf(context) : time;
  return { ...base(messageId, eventId, ut, context), type: 'event', unreadable: reason };
}
