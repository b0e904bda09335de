import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { Brokers } from '#security/brokers.ts';
import { partitionKey, type StreamClient } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';

/** The offsets of a range in one partition; `end` is excluded. */
export type PartitionRange = { readonly partition: number; readonly start: number; readonly end: number };

/** Maximum size of a fetch. Each partition holds two of them. */
const FETCH_BYTES = 1024 * 1024;

/**
 * Returns the offsets in each partition of a topic (name on the broker) of the records written at or after `from` and before `to`, Unix
 * milliseconds; undefined: from the first record, to the current end. Rejects with `StreamError`.
 */
export async function partitionRanges(
  brokers: Brokers,
  topic: string,
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
): Promise<PartitionRange[]> {
  const bounds = await topicBounds({ brokers, clientId: 'touchline-replay' }, [topic]);
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
  const partitions = ranges.map((range) => readPartition(client, topic, range));
  try {
    const heads = await Promise.all(partitions.map((records) => records.next()));
    for (;;) {
      let first: { readonly at: number; readonly record: ReadRecord } | null = null;
      for (const [at, { done, value: record }] of heads.entries())
        if (!done && (first === null || record.timestamp < first.record.timestamp)) first = { at, record };
      if (first === null) return;
      yield first.record;
      heads[first.at] = await (partitions[first.at] as (typeof partitions)[number]).next();
    }
  } finally {
    await Promise.all(partitions.map((records) => records.return(undefined)));
  }
}

async function* readPartition(
  client: Pick<StreamClient, 'openReader'>,
  topic: string,
  { partition, start, end }: PartitionRange,
): AsyncGenerator<ReadRecord> {
  if (start >= end) return;
  const reader = client.openReader({ topic, partition, maxBytes: FETCH_BYTES });
  try {
    let fetching = reader.read(start);
    for (let at = start; at < end; ) {
      const { records, next } = await fetching;
      at = next;
      if (at < end) fetching = reader.read(at);
      // Awaited later, when its failure is reported.
      fetching.catch(() => {});
      for (const record of records) if (record.offset < end) yield { ...record, partition };
    }
  } finally {
    await reader.close();
  }
}

const MAX_RECORDS = 16_000;
/** Size at which a batch is complete; its last record may exceed it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Longest time between records of one batch when gaps are kept, milliseconds of the replay. */
const TICK_MS = 100;

/**
 * Groups records into batches by their content, never by the time of reading, because versions of tables count batches. Groups
 * by number and bytes; with `gaps`, the factor for gaps between records (undefined: none), also by tenths of a second of the replay.
 * A batch is due `dueMs` milliseconds after the first record.
 */
export async function* batchesOf<T extends Pick<ReadRecord, 'timestamp' | 'value'>>(
  records: AsyncIterable<T>,
  gaps: number | undefined,
): AsyncGenerator<{ readonly records: readonly T[]; readonly dueMs: number }> {
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
