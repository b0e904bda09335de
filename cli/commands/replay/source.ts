import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import {
  type PartitionReader,
  partitionKey,
  type ReadBatch,
  type StreamClient,
} from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';

/** A range of a topic; times are those of the log's records, Unix milliseconds. */
export type Range = {
  readonly brokers: Brokers;
  /** Name on the broker. */
  readonly topic: string;
  /** The first record written at or after it, null for the first there is. */
  readonly from: number | null;
  /** Up to the first record written at or after it, null for all that is there now. */
  readonly to: number | null;
};

/** The offsets of a range in one partition: `end` is not in it. */
export type PartitionRange = { readonly partition: number; readonly start: number; readonly end: number };

/** Of one answer of the broker; two are held of each partition. */
const FETCH_BYTES = 1024 * 1024;
const READER = 'touchline-replay';

/** The offsets of a range, by what the broker knows of the times of its records. Rejects with `StreamError`. */
export async function partitionRanges({ brokers, topic, from, to }: Range): Promise<PartitionRange[]> {
  const bounds = await topicBounds({ brokers, clientId: READER }, [topic]);
  const first = from === null ? null : await offsetsAt({ brokers, topic, time: from });
  const last = to === null ? null : await offsetsAt({ brokers, topic, time: to });
  return bounds.map((of) => {
    const key = partitionKey(of);
    const end = last?.get(key) ?? of.end;
    const start = Math.max(of.start, first?.get(key) ?? 0);
    return { partition: of.partition, start: Math.min(start, end), end };
  });
}

/**
 * The records of a range, merged: each partition in its own order, the partitions by the times of their next records, then
 * by their numbers. So the order follows from the log alone, however fast which partition is read. Rejects with `StreamError`.
 */
export async function* readMerged(
  client: Pick<StreamClient, 'openReader'>,
  topic: string,
  ranges: readonly PartitionRange[],
): AsyncGenerator<ReadRecord> {
  const cursors = ranges
    .filter(({ start, end }) => start < end)
    .map(
      (range) =>
        new Cursor(client.openReader({ topic, partition: range.partition, maxBytes: FETCH_BYTES }), range),
    );
  try {
    for (;;) {
      let first: Cursor | null = null;
      for (const cursor of cursors) {
        if (cursor.head === undefined) await cursor.fill();
        if (cursor.head === undefined) continue;
        if (first?.head === undefined || cursor.head.timestamp < first.head.timestamp) first = cursor;
      }
      if (first?.head === undefined) return;
      yield first.take(first.head);
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }
}

/** How far one partition is read. The next answer is on its way while one is used. */
class Cursor {
  head: ReadRecord | undefined;
  readonly #reader: PartitionReader;
  readonly #range: PartitionRange;
  #records: ReadBatch['records'] = [];
  #at = 0;
  #next: number;
  #reading: Promise<ReadBatch> | null = null;

  constructor(reader: PartitionReader, range: PartitionRange) {
    this.#reader = reader;
    this.#range = range;
    this.#next = range.start;
    this.#readAhead();
  }

  /** Waits for the next record, if there is one. */
  async fill(): Promise<void> {
    while (this.head === undefined && this.#reading !== null) {
      const batch = await this.#reading;
      this.#records = batch.records;
      this.#at = 0;
      this.#next = batch.next;
      this.#readAhead();
      this.#advance();
    }
  }

  /** Gives the head, and goes to the next one. */
  take(head: ReadRecord): ReadRecord {
    this.#advance();
    return head;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #advance(): void {
    const record = this.#records[this.#at];
    this.#at += 1;
    const { partition, end } = this.#range;
    this.head = record === undefined || record.offset >= end ? undefined : { ...record, partition };
  }

  #readAhead(): void {
    if (this.#next >= this.#range.end) {
      this.#reading = null;
      return;
    }
    this.#reading = this.#reader.read(this.#next);
    // Awaited later: its failure is one then.
    this.#reading.catch(() => {});
  }
}
