import type { ConsumedRecord, LogBounds, StreamClient, TopicPartition } from '../client/port.ts';
import { readRange } from '../read/read-range.ts';

const LOOK_BYTES = 256 * 1024;

/** Where a record is. */
export type RecordPlace = TopicPartition & { readonly offset: number };

/** The first committed record of a log that is looked for. */
export async function findRecord(
  client: StreamClient,
  { topic, partition, start, end }: TopicPartition & LogBounds,
  isSought: (record: ConsumedRecord) => boolean,
): Promise<RecordPlace | null> {
  // No reader without need: most claims find nothing to look at.
  if (start >= end) return null;
  for await (const { records } of readRange(client, { topic, partition, start, end, maxBytes: LOOK_BYTES })) {
    const found = records.find(isSought);
    if (found !== undefined) return { topic, partition, offset: found.offset };
  }
  return null;
}
