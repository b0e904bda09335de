import { describe, expect, test } from 'vitest';
import type { ReaderOptions, StreamClient } from '../client/port.ts';
import { requireSameCommit } from './start-checks.ts';

describe('an output whose position has the last record at 10 and the end at 12', () => {
  const committed = {
    next: 7,
    topicId: 'a',
    inputEpoch: null,
    logs: { output: { id: null, end: 12, last: 10 } },
    producer: { id: '1', epoch: 0 },
  };

  /** Checks a log up to `end` in which only the records at `offsets` are committed. */
  function check(offsets: readonly number[], end: number, start = 0): Promise<void> {
    const client = {
      openReader: (_: ReaderOptions) => ({
        read: async (from: number) => {
          const records = offsets
            .filter((offset) => offset >= from)
            .map((offset) => ({ offset, timestamp: 0, key: null, value: null }));
          return { records, next: end, end, written: end, epoch: null };
        },
        close: async () => {},
      }),
    } as unknown as StreamClient;
    const context = {
      client,
      application: 'touchline.match-processor',
      positions: 'positions',
    };
    return requireSameCommit(context, committed, [
      { topic: 'output', partition: 3, start, end, isOutput: true },
    ]);
  }

  test('is accepted, also when aborted records follow or retention removed all records', async () => {
    await expect(check([10], 12)).resolves.toBeUndefined();
    await expect(check([10], 20)).resolves.toBeUndefined();
    await expect(check([], 12, 12)).resolves.toBeUndefined();
  });

  test('is refused when the record at 10 is not committed', async () => {
    await expect(check([], 12)).rejects.toMatchObject({
      code: 'OUTPUT_TRUNCATED',
      message: expect.stringContaining('output-3 lacks the record at offset 10'),
    });
  });

  test('is refused when a record after its end is committed', async () => {
    await expect(check([10, 12], 14)).rejects.toMatchObject({
      code: 'POSITION_TRUNCATED',
      message: expect.stringContaining(
        'output-3 has a record at offset 12 that was committed after the position 7',
      ),
    });
  });

  test('is not compared when it was created again', async () => {
    await expect(check([0], 2)).resolves.toBeUndefined();
  });
});
