import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import {
  type PartitionReader,
  partitionKey,
  type ReadBatch,
  type StreamClient,
} from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';

/** A range of a topic; times are those of its records, Unix milliseconds. */
export type TopicRange = {
  readonly brokers: Brokers;
  /** Name on the broker. */
  readonly topic: string;
  /** Starts at the first record written at or after this time; undefined starts at the first record. */
  readonly from: number | undefined;
  /** Ends before the first record written at or after this time; undefined ends at the current end. */
  readonly to: number | undefined;
};

/** The offsets of a range in one partition; `end` is excluded. */
export type PartitionRange = { readonly partition: number; readonly start: number; readonly end: number };

/** Maximum size of a fetch. Each partition holds two of them. */
const FETCH_BYTES = 1024 * 1024;
const READER = 'touchline-replay';

/** Returns the offsets of a range in each partition, as the broker knows them by time. Rejects with `StreamError`. */
export async function partitionRanges({ brokers, topic, from, to }: TopicRange): Promise<PartitionRange[]> {
  const bounds = await topicBounds({ brokers, clientId: READER }, [topic]);
  const first = from === undefined ? null : await offsetsAt({ brokers, topic, time: from });
  const last = to === undefined ? null : await offsetsAt({ brokers, topic, time: to });
  return bounds.map((of) => {
    const key = partitionKey(of);
    const end = last?.get(key) ?? of.end;
    const start = Math.max(of.start, first?.get(key) ?? 0);
    return { partition: of.partition, start: Math.min(start, end), end };
  });
}

/**
 * Reads the records of a range, merged: each partition in its order, and partitions by the times of their next records, then by
 * their numbers. The order depends on the log alone, not on the speed of reading. Rejects with `StreamError`.
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
        new PartitionCursor(
          client.openReader({ topic, partition: range.partition, maxBytes: FETCH_BYTES }),
          range,
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
  readonly #range: PartitionRange;
  #records: ReadBatch['records'] = [];
  #at = 0;
  #next: number;
  #fetching: Promise<ReadBatch> | null = null;

  constructor(reader: PartitionReader, range: PartitionRange) {
    this.#reader = reader;
    this.#range = range;
    this.#next = range.start;
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
    const { partition, end } = this.#range;
    this.head = record === undefined || record.offset >= end ? undefined : { ...record, partition };
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #fetchAhead(): void {
    if (this.#next >= this.#range.end) {
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
/** Longest time between records of one batch when gaps are kept, milliseconds of the replay. */
const TICK_MS = 100;

type TimedRecord = { readonly timestamp: number; readonly value: Buffer | null };

/** A batch, and the time at which it is due, milliseconds after the first record. */
export type ReplayBatch<T> = { readonly records: readonly T[]; readonly dueMs: number };

/**
 * Groups records into batches by their content, never by the time of reading, because versions of tables count batches. Groups
 * by number and bytes; with `gaps`, the factor for gaps between records (undefined: none), also by tenths of a second of the replay.
 */
export async function* batchesOf<T extends TimedRecord>(
  records: AsyncIterable<T>,
  gaps: number | undefined,
): AsyncGenerator<ReplayBatch<T>> {
  let batch: T[] = [];
  let bytes = 0;
  let dueMs = 0;
  let first: number | null = null;
  for await (const record of records) {
    first ??= record.timestamp;
    const tick = gaps === undefined ? 0 : Math.floor(((record.timestamp - first) * gaps) / TICK_MS) * TICK_MS;
    // Ignores a clock that went back.
    const isNext = tick > dueMs || batch.length >= MAX_RECORDS || bytes >= MAX_BYTES;
    if (isNext && batch.length > 0) {
      yield { records: batch, dueMs };
      batch = [];
      bytes = 0;
    }
    dueMs = Math.max(dueMs, tick);
    batch.push(record);
    bytes += record.value?.length ?? 0;
  }
  if (batch.length > 0) yield { records: batch, dueMs };
}
