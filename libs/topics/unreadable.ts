/** Records that nobody can read: their reader leaves them out and reports each once; processes log and count, commands print it. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';

/** A record that its reader cannot use, and why. `topic` is its name on the broker. */
export type UnreadableRecord = TopicPartition & {
  readonly offset: number;
  readonly error: Error;
  /** Null where the reader does not say. */
  readonly key?: string | null;
};

const NAME = 'touchline:record:unreadable';
const reports = channel(NAME);
/** Readers read a topic again, after an edit or an error: a record is reported once. */
const reported = new Set<string>();
const MAX_REPORTED = 10_000;

/** Reports a record that its reader cannot use, once. */
export function reportUnreadable(record: UnreadableRecord): void {
  const id = `${partitionKey(record)}@${record.offset}`;
  if (reported.has(id)) return;
  if (reported.size >= MAX_REPORTED) reported.clear();
  reported.add(id);
  reports.publish(record);
}

/** Calls `listener` with each reported record. Returns a function that ends this. */
export function onUnreadable(listener: (record: UnreadableRecord) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as UnreadableRecord);
  subscribe(NAME, onMessage);
  return () => void unsubscribe(NAME, onMessage);
}
