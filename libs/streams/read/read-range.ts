import type { LogBounds, PartitionReader, ReadBatch } from '../client/port.ts';

/** What can be read between two offsets, as of now: ends earlier where a transaction is open. Rejects as the reader does. */
export async function* readRange(
  reader: PartitionReader,
  { start, end }: LogBounds,
): AsyncGenerator<ReadBatch> {
  for (let at = start; at < end; ) {
    const batch = await reader.read(at);
    yield batch;
    // What is left is open.
    if (batch.next === at && batch.end <= at) return;
    at = batch.next;
  }
}
