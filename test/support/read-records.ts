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

/** Calls `onValue` with every value of a topic up to its current end, without deletions. Rejects at a record that cannot be decoded. */
export function readEvery<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: (value: TopicValues[T], record: ReadRecord) => void,
): Promise<void> {
  return followValues([topic], source, {
    untilEnd: true,
    onUnreadable({ error }) {
      throw error;
    },
    onValues({ values }) {
      for (const { value, record } of values) if (value !== null) onValue(value, record);
    },
  });
}
