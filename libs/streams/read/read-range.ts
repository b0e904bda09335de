import type {
  ConsumedRecord,
  LogBounds,
  ReadBatch,
  ReaderOptions,
  StreamClient,
  TopicPartition,
} from '../client/port.ts';

const WAIT_MS = 100;
const LOOK_BYTES = 256 * 1024;

/**
 * The readable records of a partition between two offsets, by a reader of its own; ends earlier at an open transaction.
 * Rejects as the reader does.
 */
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

/** Where a record is. */
export type RecordPosition = TopicPartition & { readonly offset: number };

/** The first committed record of a log that is looked for. */
export async function findRecord(
  client: StreamClient,
  { topic, partition, start, end }: TopicPartition & LogBounds,
  isSought: (record: ConsumedRecord) => boolean,
): Promise<RecordPosition | null> {
  // No reader without need: most claims find nothing to look at.
  if (start >= end) return null;
  for await (const { records } of readRange(client, { topic, partition, start, end, maxBytes: LOOK_BYTES })) {
    const found = records.find(isSought);
    if (found !== undefined) return { topic, partition, offset: found.offset };
  }
  return null;
}
