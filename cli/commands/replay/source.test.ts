import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FetchedRecord, ReaderOptions, StreamClient } from '#streams/client/port.ts';
import { readMerged } from './source.ts';

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
