import { machineClock } from '#timing/clock.ts';

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
 * by number and bytes; with `gaps`, the factor for gaps between records (null: none), also by tenths of a second of the replay.
 */
export async function* batchesOf<T extends TimedRecord>(
  records: AsyncIterable<T>,
  gaps: number | null,
): AsyncGenerator<ReplayBatch<T>> {
  let batch: T[] = [];
  let bytes = 0;
  let dueMs = 0;
  let first: number | null = null;
  for await (const record of records) {
    first ??= record.timestamp;
    const tick = gaps === null ? 0 : Math.floor(((record.timestamp - first) * gaps) / TICK_MS) * TICK_MS;
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

/** Waits until `dueMs` after `startedAt` (of `performance.now`), or until `signal`. Returns at once when that time is over. */
export async function waitUntil(startedAt: number, dueMs: number, signal: AbortSignal): Promise<void> {
  const left = startedAt + dueMs - performance.now();
  if (left > 0) await machineClock.sleep(left, signal);
}
