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
  values.map((value, at) => ({
    partition: PARTITIONS[at] ?? 0,
    key: 'any',
    value,
    timestamp: START * 1_000 + at,
  }));

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

  test('returns a dead letter for an unreadable record, with the time of the record', async () => {
    const records = await replayInMemory(inputs([...MESSAGES, Buffer.from('no message')]), 7);
    const [letter] = records.filter(({ topic }) => topic === 'dead-letters');
    expect(await codecOf('dead-letters').read(letter?.value as Buffer)).toMatchObject({
      code: 'undecodable',
      topic: 'normalized-messages',
      partition: 0,
      offset: 2,
      failed_at: START * 1_000 + 6,
    });
    const without = await replayInMemory(inputs(MESSAGES), 7);
    expect(records.filter(({ topic }) => topic === 'match-state')).toEqual(
      without.filter(({ topic }) => topic === 'match-state'),
    );
  });
});
