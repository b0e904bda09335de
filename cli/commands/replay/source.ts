/** Reads a topic in an order that depends on the log alone, in batches. */
import type {
  LogBounds,
  PartitionReader,
  ReadBatch,
  StreamClient,
  TopicPartition,
} from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';

/** A partition, and the offsets to read; `end` is excluded. */
type PartitionLog = TopicPartition & LogBounds;

/** Maximum size of a fetch. Each partition holds two of them. */
const FETCH_BYTES = 1024 * 1024;

/**
 * Reads logs, merged: each partition in its order, and partitions by the times of their next records, then by their numbers. The order
 * depends on the log alone, not on the speed of reading. Rejects with `StreamError`.
 */
export async function* readMerged(
  client: Pick<StreamClient, 'openReader'>,
  logs: readonly PartitionLog[],
): AsyncGenerator<ReadRecord> {
  const cursors = logs
    .filter(({ start, end }) => start < end)
    .map(
      (log) =>
        new PartitionCursor(
          client.openReader({ topic: log.topic, partition: log.partition, maxBytes: FETCH_BYTES }),
          log,
        ),
    );
  try {
    for (;;) {
      let first: PartitionCursor | null = null;
      for (const cursor of cursors) {
        if (cursor.head === undefined) await cursor.fill();
        if (cursor.head === undefined) continue;
        if (first?.head === undefined || cursor.head.timestamp < first.head.timestamp) first = cursor;
      }
      if (first?.head === undefined) return;
      const { head } = first;
      first.advance();
      yield head;
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }
}

/** Reads one partition, with one fetch ahead. */
class PartitionCursor {
  head: ReadRecord | undefined;
  readonly #reader: PartitionReader;
  readonly #log: PartitionLog;
  #records: ReadBatch['records'] = [];
  #at = 0;
  #next: number;
  #fetching: Promise<ReadBatch> | null = null;

  constructor(reader: PartitionReader, log: PartitionLog) {
    this.#reader = reader;
    this.#log = log;
    this.#next = log.start;
    this.#fetchAhead();
  }

  /** Waits until `head` is the next record, or undefined at the end. */
  async fill(): Promise<void> {
    while (this.head === undefined && this.#fetching !== null) {
      const batch = await this.#fetching;
      this.#records = batch.records;
      this.#at = 0;
      this.#next = batch.next;
      this.#fetchAhead();
      this.advance();
    }
  }

  /** Moves `head` to the next record that was fetched. */
  advance(): void {
    const record = this.#records[this.#at];
    this.#at += 1;
    const { partition, end } = this.#log;
    this.head = record === undefined || record.offset >= end ? undefined : { ...record, partition };
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #fetchAhead(): void {
    if (this.#next >= this.#log.end) {
      this.#fetching = null;
      return;
    }
    this.#fetching = this.#reader.read(this.#next);
    // Awaited later, when its failure is reported.
    this.#fetching.catch(() => {});
  }
}

/** Maximum number of records of a batch. */
const MAX_RECORDS = 16_000;
/** Size at which a batch is complete; its last record may exceed it. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Groups records into batches by number and bytes, never by the time of reading, because versions of tables count batches. */
export async function* batchesOf<T extends { readonly value: Buffer | null }>(
  records: AsyncIterable<T>,
): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for await (const record of records) {
    batch.push(record);
    bytes += record.value?.length ?? 0;
    if (batch.length < MAX_RECORDS && bytes < MAX_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
