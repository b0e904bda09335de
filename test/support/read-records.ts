import { readTopic } from '#cluster/read-topic.ts';
import type { Brokers } from '#security/brokers.ts';
import type { ReadRecord } from '#streams/read/follow.ts';

/** Returns the committed records of a topic so far, in the order of each partition. */
export async function readRecords(brokers: Brokers, topic: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  await readTopic({ brokers, topic, untilEnd: true, onRecord: (record) => void records.push(record) });
  return records;
}
