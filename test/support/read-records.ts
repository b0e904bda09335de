import type { TopicValues } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { followLogs, type ReadRecord } from '#streams/read/follow.ts';
import { follow, type OpenTopics, type TopicRecord } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';

/** Returns the committed records of a topic so far, in the order of each partition. */
export async function readRecords(brokers: Brokers, topic: string): Promise<ReadRecord[]> {
  const all: ReadRecord[] = [];
  await followLogs({
    brokers,
    topics: [topic],
    untilEnd: true,
    onBatch: (batch) => void all.push(...batch.flatMap(({ records }) => records)),
  });
  return all;
}

/** Calls `onValue` with every value of a topic up to its current end, without deletions. Rejects at a record that cannot be decoded. */
export function readEvery<T extends TopicName>(
  topic: T,
  source: OpenTopics,
  onValue: (value: TopicValues[T], record: TopicRecord<T>) => void,
): Promise<void> {
  return follow([topic], source, {
    untilEnd: true,
    onUnreadable({ error }) {
      throw error;
    },
    onRecord(record) {
      if (record.value !== null) onValue(record.value, record);
    },
  });
}
