import { parseJson } from '#json/values.ts';
import type { DeadLetter } from '#records/types.ts';
import { type Logger, logsMessages } from '#streams/log.ts';
import type { ReadDelivery } from './delivery.ts';

/** Logs a stored delivery: a warning for each dead letter and new unread path (added to `named`); at debug each message. */
export function logDelivery(
  log: Logger,
  { normalized, deadLetters, ignored }: ReadDelivery,
  named: Set<string>,
): void {
  for (const letter of deadLetters) {
    const { id, code, reason, key } = letter;
    const fields = { message_id: messageIdIn(letter), delivery_id: key?.toString() };
    log.warn({ ...fields, id, code, reason }, 'sent to dead-letters');
  }
  for (const { message_id, event_id, delivery_id, unread } of normalized) {
    for (const path of unread) logUnread(log, path, named, { message_id, event_id, delivery_id });
  }
  if (!logsMessages(log)) return;
  for (const { message_id, event_id, delivery_id } of normalized)
    log.debug({ message_id, event_id, delivery_id }, 'message published');
  for (const [type, times] of ignored)
    log.debug({ type: type.slice(0, 100), times }, 'messages of an unused type');
}

/** Logs a field that cannot be read, unless its path is in `named`, to which it adds the path. */
export function logUnread(log: Logger, path: string, named: Set<string>, of: object = {}): void {
  if (named.has(path)) return;
  named.add(path);
  log.warn({ path, ...of }, 'left out a field that cannot be read; counted without a line from now on');
}

/** Larger dead letters are not parsed again for a log line. */
const MAX_PARSED_BYTES = 64 * 1024;
const MAX_ID_LENGTH = 100;

/** Returns the provider's id of a dead letter's first message; null when no id can be read. */
function messageIdIn({ value }: DeadLetter): string | null {
  if (value === null || value.length > MAX_PARSED_BYTES) return null;
  const parsed = parseJson(value.toString());
  const message = Array.isArray(parsed) ? parsed[0] : parsed;
  const id: unknown = message?.id ?? message?.uuid;
  return typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, MAX_ID_LENGTH) : null;
}
