import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { resultKey } from '#domain/match-result.ts';
import { rulesOf } from '#domain/standings/testing/results.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { MatchResult, TopicValues } from '#records/types.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { type StandingsCodecs, StandingsPartition } from './standings-partition.ts';

const codecs: StandingsCodecs = {
  'match-results': codecOf('match-results'),
  'standings-results': codecOf('standings-results'),
  standings: codecOf('standings'),
};

const rules = rulesOf();
const partitionOf = (changes: Partial<ConstructorParameters<typeof StandingsPartition>[0]> = {}) =>
  new StandingsPartition({
    partition: 3,
    codecs,
    topicName: (topic) => `p.${topic}`,
    rulesOf: () => rules,
    ...changes,
  });

function resultOf(event_id: number, version: number, overrides: Partial<MatchResult> = {}): MatchResult {
  const team = { acronym: null, area_id: null, area_name: null };
  return {
    ...sampleOf('match-results'),
    event_id,
    version,
    cause: { ...sampleOf('match-results').cause, offset: version },
    status_id: 11,
    status_type: 'finished',
    goals: [],
    cards: [],
    home: { ...team, id: event_id, name: `Home ${event_id}` },
    away: { ...team, id: event_id + 100, name: `Away ${event_id}` },
    ...overrides,
  };
}

/** The fields of a result in a season of its own. */
const season = (id: number, overrides: Partial<MatchResult> = {}) => ({
  season_id: id,
  stage_id: id,
  ...overrides,
});

type Written = { topic: string; key: string; value: Buffer };

function recordOf(result: MatchResult, offset: number) {
  return { offset, key: Buffer.from(resultKey(result)), value: codecs['match-results'].encode(result) };
}

/** Processes one batch and returns the written records. */
async function batch(partition: StandingsPartition, ...results: MatchResult[]): Promise<Written[]> {
  const collector = new RecordCollector(3);
  for (const [offset, result] of results.entries())
    await partition.process(recordOf(result, offset), collector);
  partition.flush(collector);
  partition.committed();
  return collector.records.map(({ topic, key, value }) => ({
    topic,
    key: String(key),
    value: value as Buffer,
  }));
}

async function restore(partition: StandingsPartition, written: readonly Written[]): Promise<void> {
  for (const { topic, key, value } of written)
    await partition.restore(topic, [{ offset: 0, key: Buffer.from(key), value }]);
}

const topicsOf = (written: readonly Written[]) => [...new Set(written.map(({ topic }) => topic))];
const tables = (written: readonly Written[]) =>
  written
    .filter(({ topic }) => topic === 'p.standings')
    .map(({ value }) => codecs.standings.decode(value) as TopicValues['standings']);

describe('a partition of results', () => {
  test('publishes each table once a batch, and stores the results', async () => {
    const written = await batch(partitionOf(), resultOf(1, 1), resultOf(2, 1));
    expect(topicsOf(written)).toEqual(['p.standings-results', 'p.standings']);
    const ids = tables(written).map(({ standings_id }) => standings_id);
    expect(new Set(ids).size).toBe(ids.length);
    // No goals, no cards.
    expect(ids).toHaveLength(12);
    expect(tables(written)[0]?.cause).toMatchObject({ topic: 'match-results', partition: 3, offset: 1 });
  });

  test('publishes nothing for a duplicate, and no table without a change', async () => {
    const partition = partitionOf();
    await batch(partition, resultOf(1, 2));
    expect(await batch(partition, resultOf(1, 2))).toEqual([]);
    expect(topicsOf(await batch(partition, resultOf(1, 3)))).toEqual(['p.standings-results']);
  });

  test('follows the log, even if an aborted transaction published a later version', async () => {
    const partition = partitionOf();
    await batch(partition, resultOf(1, 7, { score: { home: 9, away: 0 } }));
    const [league] = tables(await batch(partition, resultOf(1, 5)));
    const restored = partitionOf();
    const [expected] = tables(await batch(restored, resultOf(1, 5)));
    expect(league?.groups).toEqual(expected?.groups);
  });

  test('refuses the result of a match whose version went back, and keeps the one that it has', async () => {
    const partition = partitionOf();
    const cause = { ...resultOf(1, 143).cause, offset: 150 };
    await batch(partition, resultOf(1, 143));
    for (const lost of [resultOf(1, 1, { cause }), resultOf(1, 2, { cause, removed: true })])
      await expect(batch(partition, lost)).rejects.toMatchObject({ code: 'VERSION_WENT_BACK' });
    expect(await batch(partition, resultOf(1, 143))).toEqual([]);
    expect(topicsOf(await batch(partition, resultOf(1, 144, { cause })))).toEqual(['p.standings-results']);
  });

  test('publishes a new version of changed tables only', async () => {
    const partition = partitionOf();
    const live = { status_id: 34, status_type: 'live' };
    await batch(partition, resultOf(1, 1), resultOf(2, 1, { ...live, score: { home: 0, away: 0 } }));
    const written = await batch(partition, resultOf(2, 2, live));
    expect(tables(written).map(({ type_id, version }) => [type_id, version])).toEqual([[244, 2]]);
    // All tables are derived; those of halves have changed.
    const corrected = await batch(partition, resultOf(1, 2, { first_half: { home: 0, away: 0 } }));
    const kinds = tables(corrected).map(({ type_id }) => type_id);
    expect(kinds).toContain(3);
    expect(kinds).not.toContain(2);
  });

  test('empties a table once its last match has left, and fills it again when one returns', async () => {
    const partition = partitionOf();
    await batch(partition, resultOf(1, 1));
    const gone = await batch(partition, resultOf(1, 2, { removed: true }));
    expect(tables(gone).map(({ groups, version }) => [groups, version])).toEqual(Array(12).fill([[], 2]));
    const back = tables(await batch(partition, resultOf(1, 3)));
    expect(back.map(({ groups }) => groups.length)).toEqual(Array(12).fill(1));
  });

  test('publishes the same after a restore as without one', async () => {
    const whole = partitionOf();
    const steps = [
      [resultOf(1, 1), resultOf(2, 1)],
      [resultOf(1, 2, { group_id: 8 }), resultOf(1, 3)],
      [resultOf(3, 1)],
    ];
    const expected: Written[][] = [];
    for (const step of steps) expected.push(await batch(whole, ...step));
    const second = partitionOf();
    await restore(second, expected.slice(0, 2).flat());
    expect(second.size()).toBe(1);
    expect(await batch(second, ...(steps[2] ?? []))).toEqual(expected[2]);
  });

  test('decodes restored results when their season is needed, the last of each match', async () => {
    const whole = partitionOf();
    const of = (id: number, version: number) => resultOf(id, version, season(id));
    const written: Written[] = [];
    for (const version of [1, 2, 3]) written.push(...(await batch(whole, of(1, version), of(2, version))));
    const decode = vi.spyOn(codecs['standings-results'], 'decode');
    onTestFinished(() => decode.mockRestore());
    const restored = partitionOf();
    await restore(restored, written);
    expect(decode).not.toHaveBeenCalled();
    await batch(restored, of(1, 3));
    expect(decode).toHaveBeenCalledTimes(1);
    expect(restored.size()).toBe(2);
  });

  test('derives restored tables by the current rules, one other season with each record', async () => {
    const results = [1, 2, 3].map((id) => resultOf(id, 1, season(id)));
    const written = await batch(partitionOf(), ...results);
    const after = partitionOf({ rulesOf: () => rulesOf({ points: { won: 2, draw: 1, lost: 0 } }) });
    await restore(after, written);
    for (const derived of [[3, 1], [2], []]) {
      const all = tables(await batch(after, resultOf(3, 1, season(3))));
      expect([...new Set(all.map(({ season_id }) => season_id))]).toEqual(derived);
    }
  });

  test('ignores tables that the provider ranks', async () => {
    const partition = partitionOf();
    const own = { ...sampleOf('standings'), standings_id: 5 };
    await restore(partition, [{ topic: 'p.standings', key: '5', value: codecs.standings.encode(own) }]);
    expect(tables(await batch(partition, resultOf(1, 1))).every(({ version }) => version === 1)).toBe(true);
  });

  test('is full with many changed seasons, until they are flushed', async () => {
    const partition = partitionOf();
    const collector = new RecordCollector(3);
    const full: boolean[] = [];
    for (let id = 1; id <= 64; id += 1) {
      await partition.process(recordOf(resultOf(id, 1, season(id)), id), collector);
      full.push(partition.isFull());
    }
    expect(full).toEqual([...Array(63).fill(false), true]);
    partition.flush(collector);
    expect(partition.isFull()).toBe(false);
  });

  test('keeps only some seasons decoded', async () => {
    const partition = partitionOf();
    for (let id = 1; id <= 30; id += 1) await batch(partition, resultOf(id, 1, season(id)));
    const [league] = tables(await batch(partition, resultOf(100, 1, season(1))));
    expect(league?.version).toBe(2);
    expect(league?.groups[0]?.rows).toHaveLength(4);
  });

  test('counts matches that could not be counted, also of spilled seasons', async () => {
    const counts: (number | undefined)[] = [];
    const partition = partitionOf({ onFlags: (flags) => counts.push(flags.get('unknown_cards')) });
    const uncounted = [1, 2, 3].map((id) => resultOf(id, 1, season(id === 3 ? 2 : 1, { cards: null })));
    await batch(partition, ...uncounted);
    for (let id = 11; id <= 40; id += 1) await batch(partition, resultOf(id, 1, season(id)));
    await batch(partition, resultOf(1, 2, season(1)));
    await batch(partition, resultOf(3, 2, season(2)));
    partition.close();
    expect([counts[0], ...counts.slice(-4)]).toEqual([3, 3, 2, 1, undefined]);
  });

  test('reports with each commit the times of receipt of the messages behind its results', async () => {
    const reported: (readonly number[])[] = [];
    const partition = partitionOf({ onCommitted: (receivedAt) => reported.push(receivedAt) });
    const at = (received_at: number) => ({ cause: { ...sampleOf('match-results').cause, received_at } });
    const first = resultOf(1, 1, at(1_000));
    await batch(partition, first, resultOf(2, 1, at(2_000)));
    // A known result changes no table.
    await batch(partition, first);
    expect(reported).toEqual([[1_000, 2_000], []]);
  });

  test.each([
    ['no value', { offset: 0, key: Buffer.from('k'), value: null }],
    ['other bytes', { offset: 0, key: Buffer.from('k'), value: Buffer.from('no') }],
    ['no key', { offset: 0, key: null, value: codecs['match-results'].encode(resultOf(1, 1)) }],
  ])('%s is poison', async (_, record) => {
    await expect(partitionOf().process(record, new RecordCollector(3))).rejects.toThrow(PoisonError);
  });
});
