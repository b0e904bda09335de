import { setTimeout as delay } from 'node:timers/promises';

/** Most records, and about most bytes, of one batch at full speed. */
const MOST_RECORDS = 16_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** How long the records of one batch may lie apart where gaps are kept, milliseconds of the replay. */
const TICK_MS = 100;

type Timed = { readonly timestamp: number; readonly value: Buffer | null };

/** A batch, and when it is due, milliseconds after the first record. */
export type ReplayBatch<T> = { readonly records: readonly T[]; readonly dueMs: number };

/**
 * Cuts records into batches by what they are, never by when they were read: tables count versions by batch. At full speed
 * (`gaps` null) by number and bytes; else what lies in the same tenth of a second of the replay, `gaps` times the original.
 */
export async function* batchesOf<T extends Timed>(
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
    // A clock that went back keeps nobody waiting.
    const isNext = tick > dueMs || batch.length >= MOST_RECORDS || bytes >= MOST_BYTES;
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

/** Waits until `dueMs` after `startedAt`, on the clock of `performance.now`; at once where that is over, or at `signal`. */
export async function waitUntil(startedAt: number, dueMs: number, signal: AbortSignal): Promise<void> {
  const left = startedAt + dueMs - performance.now();
  if (left > 0) await delay(left, undefined, { signal }).catch(() => {});
}
