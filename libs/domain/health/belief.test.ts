import { describe, expect, test } from 'vitest';
import { type HealthRecord, HealthTable, mayAct } from './belief.ts';

const NOW = 1_790_000_000_000;
const EVENT = 7;

const source = (changes: Partial<HealthRecord> = {}): HealthRecord => ({
  ...{ source: 'webhook', event_id: null, state: 'alive', reason: null, since: NOW - 60_000 },
  ...{ term: 3, valid_until: NOW + 1, ...changes },
});
const match = (changes: Partial<HealthRecord> = {}): HealthRecord =>
  source({ event_id: EVENT, valid_until: null, ...changes });

/** The belief of a reader of these records. */
function belief(...records: readonly HealthRecord[]) {
  const table = new HealthTable();
  for (const record of records)
    table.apply(record.event_id === null ? record.source : `${record.source}/${record.event_id}`, record);
  return table.match(EVENT, NOW);
}

describe('a match is believed', () => {
  test.each(['alive', 'recovered'] as const)('where it and its source are %s', (state) => {
    expect(belief(source({ state }), match({ state }))).toMatchObject({ believed: true, state });
  });

  test('where one of two sources is good', () => {
    const dead = [source({ state: 'down', source: 'feed' }), match({ state: 'down', source: 'feed' })];
    expect(belief(...dead, source(), match())).toMatchObject({ believed: true, source: 'webhook' });
  });
});

describe('a match is not believed', () => {
  test.each([
    ['without any record', [], 'unknown'],
    ['without a record of its own', [source()], 'unknown'],
    ['without one of its source', [match()], 'unknown'],
    ['when nobody renews its source', [source({ valid_until: NOW }), match()], 'expired'],
    ['when the present monitor has not judged it', [source({ term: 4 }), match()], 'expired'],
    ['when it is stale', [source(), match({ state: 'stale' })], 'stale'],
    ['when its source is down', [source({ state: 'down' }), match()], 'down'],
    ['when it is over', [source(), match({ state: 'ended' })], 'ended'],
  ] as const)('%s', (_, records, state) => {
    expect(belief(...records)).toMatchObject({ believed: false, state });
  });

  test('once its record is deleted', () => {
    const table = new HealthTable();
    table.apply('webhook', source());
    table.apply(`webhook/${EVENT}`, match());
    table.apply(`webhook/${EVENT}`, null);
    expect(table.match(EVENT, NOW)).toMatchObject({ believed: false, state: 'unknown' });
  });
});

test('a reader acts where the guard is safe, the firm score known and the match believed', () => {
  const state = { guard: { safe: true }, firm: { home: 1, away: 0 } };
  expect(mayAct(state, { believed: true })).toBe(true);
  expect(mayAct(state, { believed: false })).toBe(false);
  expect(mayAct({ ...state, guard: { safe: false } }, { believed: true })).toBe(false);
  expect(mayAct({ ...state, firm: null }, { believed: true })).toBe(false);
});

test('sources are by name, each judged by the clock', () => {
  const table = new HealthTable();
  table.apply('webhook', source());
  table.apply('feed', source({ source: 'feed' }));
  expect(table.sources(NOW)).toMatchObject([
    { source: 'feed', believed: true },
    { source: 'webhook', believed: true },
  ]);
  expect(table.sources(NOW + 1).map(({ state }) => state)).toEqual(['expired', 'expired']);
});
