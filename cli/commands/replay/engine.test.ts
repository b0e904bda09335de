import { describe, expect, test } from 'vitest';
import { goal, START } from '#processors/match/testing/partition.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { replayInMemory } from './testing/in-memory.ts';

const MESSAGES = [
  goal(1, 100, 0, false),
  goal(2, 100, 5, false),
  goal(1, 110, 60, false),
  goal(1, 120, 120, false),
  goal(2, 110, 200, true),
  goal(1, 120, 300, true, 'cancelled'),
];
/** Partitions of the messages; any other record goes to partition 0. */
const PARTITIONS = [1, 0, 1, 1, 0, 1];
const inputs = (values: readonly (Buffer | null)[]) =>
  values.map((value, n) => ({ partition: PARTITIONS[n] ?? 0, key: '', value, timestamp: START * 1_000 + n }));

describe('a replay in memory', () => {
  test('names in a table the offset of its result', async () => {
    const records = await replayInMemory(inputs(MESSAGES), 3);
    const results = records.filter(({ topic }) => topic === 'match-results');
    const tables = records.filter(({ topic }) => topic === 'standings');
    expect(tables.length).toBeGreaterThan(0);
    for (const { partition, value } of tables) {
      const { cause } = await codecOf('standings').read(value as Buffer);
      const named = results.filter((result) => result.partition === partition)[cause.offset];
      const result = await codecOf('match-results').read(named?.value as Buffer);
      expect(result.cause.message_id).toBe(cause.message_id);
    }
  });
});
