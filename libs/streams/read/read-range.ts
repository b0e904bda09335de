import type {
  ConsumedRecord,
  LogBounds,
  ReadBatch,
  ReaderOptions,
  StreamClient,
  TopicPartition,
} from '../client/port.ts';

/** Long poll of each read. */
const WAIT_MS = 100;
const READ_BYTES = 256 * 1024;

/** Reads a partition's committed records from `start` to `end` or an open transaction. Rejects as `PartitionReader.read`. */
export async function* readRange(
  client: StreamClient,
  { start, end, ...of }: ReaderOptions & LogBounds,
): AsyncGenerator<ReadBatch> {
  const reader = client.openReader({ maxWaitMs: WAIT_MS, ...of });
  try {
    for (let at = start; at < end; ) {
      const batch = await reader.read(at);
      yield batch;
      // The rest belongs to an open transaction.
      if (batch.next === at && batch.end <= at) return;
      at = batch.next;
    }
  } finally {
    await reader.close();
  }
}

/** Returns the offset of the first committed record that `isSought` accepts; null when there is none. */
export async function findOffset(
  client: StreamClient,
  { topic, partition, start, end }: TopicPartition & LogBounds,
  isSought: (record: ConsumedRecord) => boolean,
): Promise<number | null> {
  // Avoids opening a reader: in most claims the range is empty.
  if (start >= end) return null;
  for await (const { records } of readRange(client, { topic, partition, start, end, maxBytes: READ_BYTES })) {
    const found = records.find(isSought);
    if (found !== undefined) return found.offset;
  }
  return null;
}
