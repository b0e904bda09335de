import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FetchedRecord, ReaderOptions, StreamClient } from '#streams/client/port.ts';
import { batchesOf, readMerged } from './source.ts';

/** Times of the records of three partitions; in the second one, a clock went back. */
const TIMES = [
  [10, 20, 20, 40],
  [15, 50, 12, 20],
  [20, 60],
];
const LOGS = TIMES.map((times) =>
  times.map((timestamp, offset): FetchedRecord => ({ offset, timestamp, key: null, value: null })),
);
const RANGES = [4, 4, 1].map((end, partition) => ({ partition, start: 0, end }));

/** A client whose fetches return `atOnce` records; partition `slow` answers late. */
function clientOf(atOnce: number, slow: number): Pick<StreamClient, 'openReader'> {
  return {
    openReader: ({ partition }: ReaderOptions) => ({
      topicId: async () => 'id',
      async read(offset) {
        for (let wait = 0; wait < (partition === slow ? 20 : 1); wait++) await turn();
        const log = LOGS[partition] ?? [];
        const records = log.slice(offset, offset + atOnce);
        return { records, next: offset + records.length, end: log.length, written: log.length, epoch: null };
      },
      close: async () => {},
    }),
  };
}

test.each([
  [1, 0],
  [2, 1],
  [10, 2],
])('merges partitions by their records, with %i at once and partition %i slow', async (atOnce, slow) => {
  const merged: string[] = [];
  for await (const { partition, timestamp } of readMerged(clientOf(atOnce, slow), 'a', RANGES))
    merged.push(`${partition}:${timestamp}`);
  // At the same time the lower partition first; each in its order; up to the end of its range.
  expect(merged).toEqual(['0:10', '1:15', '0:20', '0:20', '2:20', '0:40', '1:50', '1:12', '1:20']);
});

const at = (timestamp: number, bytes = 1) => ({ timestamp, value: Buffer.alloc(bytes) });

/** Returns the number of records of each batch and when it is due, milliseconds: `2@100`. */
async function cut(records: readonly ReturnType<typeof at>[], gaps: number | undefined) {
  const read = async function* () {
    yield* records;
  };
  const batches: string[] = [];
  for await (const { records, dueMs } of batchesOf(read(), gaps)) batches.push(`${records.length}@${dueMs}`);
  return batches.join(' ');
}

describe('batches of a replay', () => {
  test('are limited by number and by bytes at full speed', async () => {
    const many = Array.from({ length: 36_000 }, (_, n) => at(n));
    expect(await cut(many, undefined)).toBe('16000@0 16000@0 4000@0');
    const large = Array.from({ length: 3 }, (_, n) => at(n, 36 * 1024 * 1024));
    expect(await cut(large, undefined)).toBe('2@0 1@0');
  });

  test.each([
    ['as they were', 1, '2@0 1@100 2@1000'],
    ['twice as fast', 0.5, '3@0 2@500'],
    ['twice as slow', 2, '1@0 1@100 1@300 2@2000'],
  ])('are due after the gaps that are kept: %s', async (_, gaps, expected) => {
    // A clock that was behind wrote the last record.
    const records = [at(5_000), at(5_050), at(5_150), at(6_000), at(5_900)];
    expect(await cut(records, gaps)).toBe(expected);
  });
});
