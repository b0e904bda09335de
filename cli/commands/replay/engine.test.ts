import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MatchPartition } from '#processors/match/match-partition.ts';
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
  test('returns the same bytes again, and the same states and transitions with other batches', async () => {
    const once = await replayInMemory(inputs(MESSAGES), 2);
    expect(await replayInMemory(inputs(MESSAGES), 2)).toEqual(once);
    const states = (records: typeof once) =>
      new Map(
        records.filter(({ topic }) => topic === 'match-state').map(({ key, value }) => [String(key), value]),
      );
    const other = await replayInMemory(inputs(MESSAGES), 6);
    expect(states(other)).toEqual(states(once));
    const transitions = (records: typeof once) =>
      records.filter(({ topic }) => topic === 'match-transitions');
    expect(transitions(other).toSorted(byPartition)).toEqual(transitions(once).toSorted(byPartition));
  });

  test('names in a table the offset of its result', async () => {
    const records = await replayInMemory(inputs(MESSAGES), 3);
    const results = records.filter(({ topic }) => topic === 'match-results');
    const tables = records.filter(({ topic }) => topic === 'standings');
    expect(tables.length).toBeGreaterThan(0);
    for (const { partition, value } of tables) {
      const { cause } = await codecOf('standings').read(value as Buffer);
      const named = results.filter((result) => result.partition === partition)[cause?.offset ?? -1];
      const result = await codecOf('match-results').read(named?.value as Buffer);
      expect(result.cause.message_id).toBe(cause?.message_id);
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

  test('returns the same bytes after an error that comes once', async () => {
    const without = await replayInMemory(inputs(MESSAGES), 6);
    failing(1);
    expect(await replayInMemory(inputs(MESSAGES), 6)).toEqual(without);
  });

  test('returns a dead letter for the failing record of a batch, and continues with the state before it', async () => {
    failing(Number.POSITIVE_INFINITY);
    const records = await replayInMemory(inputs(MESSAGES), 6);
    const letters = records.filter(({ topic }) => topic === 'dead-letters');
    expect(letters).toHaveLength(1);
    expect(await codecOf('dead-letters').read(letters[0]?.value as Buffer)).toMatchObject({
      code: 'processing_failed',
      offset: 1,
    });
    const last = records.filter(({ topic, key }) => topic === 'match-state' && String(key) === '1').at(-1);
    const state = await codecOf('match-state').read(last?.value as Buffer);
    expect(state.void_goals).toEqual({ '5-120': 'cancelled' });
    expect(state.counting_goals).toEqual([]);
  });
});

function byPartition(a: { readonly partition: number }, b: { readonly partition: number }): number {
  return a.partition - b.partition;
}

/** Throws an error the first `times` times that the third message is processed. */
function failing(times: number): void {
  const process = MatchPartition.prototype.process;
  let left = times;
  const spy = vi.spyOn(MatchPartition.prototype, 'process').mockImplementation(function (
    this: MatchPartition,
    record,
    collector,
  ) {
    if (record.value?.equals(MESSAGES[2] as Buffer)) {
      left -= 1;
      if (left >= 0) throw new Error('a defect');
    }
    return process.call(this, record, collector);
  });
  onTestFinished(() => spy.mockRestore());
}
