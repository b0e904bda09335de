import type { TopicValues } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { type ReadRecord, readTopic } from '#streams/read/follow.ts';
import { followValues, type TopicSource } from '#topics/read-values.ts';
import type { TopicName } from '#topics/topics.ts';

/** Returns the committed records of a topic so far, in the order of each partition. */
export async function readRecords(brokers: Brokers, topic: string): Promise<ReadRecord[]> {
  const all: ReadRecord[] = [];
  await readTopic(brokers, topic, ({ records }) => void all.push(...records));
  return all;
}

/**
 * Calls `onValue` with every record of a topic, null for a deleted key: up to its current end, or until `signal` is aborted. Rejects at
 * a record that cannot be decoded.
 */
export function readAllOf<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (key: string, value: TopicValues[T] | null, record: ReadRecord) => void,
  signal?: AbortSignal,
): Promise<void> {
  return followValues([topic], source, {
    untilEnd: signal === undefined,
    signal,
    onUnreadable({ error }) {
      throw error;
    },
    onValues({ values }) {
      for (const { key, value, record } of values) onValue(key, value, record);
    },
  });
}

/** Calls `onValue` with every value of a topic up to its current end, without deletions. Rejects as `readAllOf`. */
export function readEvery<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (value: TopicValues[T], record: ReadRecord) => void,
): Promise<void> {
  return readAllOf(topic, source, (_, value, record) => {
    if (value !== null) onValue(value, record);
  });
}
