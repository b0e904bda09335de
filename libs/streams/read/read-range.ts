import type { LogBounds, ReadBatch, ReaderOptions, StreamClient } from '../client/port.ts';

const WAIT_MS = 100;

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
