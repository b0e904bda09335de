import type { LogBounds, PartitionReader, ReadBatch } from '../client/port.ts';

/** The readable records between two offsets; ends earlier at an open transaction. Rejects as the reader does. */
export async function* readRange(
  reader: PartitionReader,
  { start, end }: LogBounds,
): AsyncGenerator<ReadBatch> {
  for (let at = start; at < end; ) {
    const batch = await reader.read(at);
    yield batch;
    // The rest belongs to an open transaction.
    if (batch.next === at && batch.end <= at) return;
    at = batch.next;
  }
}
