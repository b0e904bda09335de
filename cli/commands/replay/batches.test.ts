import { describe, expect, test } from 'vitest';
import { batchesOf } from './source.ts';

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
