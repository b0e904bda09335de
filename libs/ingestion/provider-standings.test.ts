import { describe, expect, test } from 'vitest';
import { writeRecord } from '#json/records.ts';
import type { ProviderStandings } from '#records/types.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { providerLeague, providerStandings } from './provider-standings.ts';

const read = (standings: unknown, answeredAt: number, entry = {}, unread = new Set<string>()) =>
  providerStandings(standings, answeredAt, entry, unread);

const row = {
  area_id: 7,
  area_name: 'Somewhere',
  columns: [
    { code: 'pts', id: 8, name: 'Points', short_name: 'Pts', value: 1_800 },
    { code: 'avg', id: 9, name: 'Average', short_name: 'Avg', value: '1.50' },
  ],
  id: 3,
  last_rank: 2,
  more: { of: ['it'] },
  name: 'One',
  rank: 1,
};
const ranking = {
  groups: [{ corrections: [], id: '1', name: 'All', participants: [row], zones: [] }],
  item_status: 'active',
  name: 'National teams',
  object_id: 5,
  object_name: 'Soccer',
  object_type: 'sport',
  sport_id: 5,
  stage_name_id: 4,
  subtype: 'standings',
  type_id: 9,
  type_name: 'FIFA ranking',
};

test('has every field of a ranking in its type, all others as JSON, and shows them again', async () => {
  const value = read({ ...ranking, id: '777', columns: [], ut: 1_600_000_000 }, 1_700_000_000);
  expect(value).toMatchObject({ standings_id: 777, version: 1_600_000_000, ut: 1_600_000_000 });
  expect(value?.groups[0]?.participants[0]).toMatchObject({
    name: 'One',
    rank: 1,
    other: { more: '{"of":["it"]}' },
  });
  expect(value?.other).toEqual({ stage_name_id: '4' });
  const codec = codecOf('provider-standings');
  const again = await codec.read(codec.encode(value as ProviderStandings));
  const { standings_id: _id, version: _version, ut: _ut, ...table } = again;
  expect(writeRecord(table)).toEqual(ranking);
});

test('reads what the provider writes in another form, and names what it leaves out', () => {
  const empty = { last_rank: null, subparticipant_id: '' };
  const odd = { ...row, ...empty, id: '3', rank: '1', columns: [4], area_id: 'x' };
  const groups = [{ id: 1, participants: [odd, 5], corrections: [-6] }];
  const unread = new Set<string>();
  const [group] = read({ ...ranking, id: 7, groups }, 1, {}, unread)?.groups ?? [];
  expect(group).toMatchObject({ id: '1', name: '', corrections: [{ value: '-6', reason: null }], other: {} });
  const unknown = { last_rank: null, area_id: null, columns: [] };
  expect(group?.participants).toMatchObject([{ id: 3, rank: 1, ...unknown }]);
  const path = 'standings.groups.*.participants.*';
  expect([...unread]).toEqual([`${path}.area_id`, `${path}.columns.*`, path]);
});

test('has the time of the answer where the table has none, and the later one of its entry as version', () => {
  const table = { ...ranking, id: 777, ut: null };
  expect(read(table, 1_700, { ut: 1_600, name: 'ignored' })).toMatchObject({
    ut: 1_700,
    version: 1_700,
    name: 'National teams',
  });
  expect(read(table, 1_700, { ut: 1_800 })).toMatchObject({ ut: 1_700, version: 1_800 });
});

test('takes from its entry, else by default, what the provider leaves out', () => {
  const least = { id: 777, type_id: 9, object_id: 5 };
  const unnamed = { name: '', type_name: '', object_type: '', object_name: '', sport_name: null };
  const none = { subtype: 'standings', item_status: 'active', sport_id: 5, competition_id: null };
  expect(read(least, 1)).toMatchObject({ ...unnamed, ...none, groups: [], other: {} });
  const entry = {
    type_name: 'T',
    subtype: 'live',
    object_name: 'World',
    item_status: 'deleted',
    sport_id: 1,
  };
  expect(read(least, 1, entry)).toMatchObject({ ...entry, name: 'T' });
});

test.each([
  null,
  'text',
  {},
  { ...ranking, id: 777, type_id: 2 },
  { ...ranking, id: null },
  { ...ranking, id: 2 ** 52 },
  { ...ranking, id: 777, type_id: null },
  { ...ranking, id: 777, object_id: null },
])('returns null for anything else: %j', (record) => {
  expect(read(record, 1)).toBeNull();
});

describe('a league table', () => {
  const table = (groups: readonly unknown[], object_id: unknown = 31) => {
    return { id: 40_001, object_type: 'season', object_id, groups };
  };
  const cells = (mp: unknown, pts: unknown) => [
    { id: 1, code: 'mp', value: mp },
    { id: 8, code: 'pts', value: pts },
  ];
  const readLeague = (standings: unknown) => providerLeague(standings, new Set());

  test('is read with its corrections, as records or as values alone', () => {
    const everton = { participant_id: 2, participant_name: 'Team 2', value: '-6', reason: 'Debts' };
    const corrections = [everton, -6, 4, '+2', { value: null }, { value: ' ' }, null];
    const participants = [{ id: 1, name: 'Team 1', rank: 1, columns: cells('38', -3) }];
    const none = { participant_id: null, participant_name: null, reason: null, other: {} };
    const read = [{ ...everton, other: {} }, ...['-6', '+4', '+2'].map((value) => ({ ...none, value }))];
    expect(readLeague(table([{ id: 7, name: '', participants, corrections }]))).toEqual({
      object_type: 'season',
      object_id: 31,
      groups: [{ id: '7', rows: [{ id: 1, name: 'Team 1', rank: 1, mp: 38, pts: -3 }], corrections: read }],
    });
  });

  test('has no corrections where the provider names none, and unknown values where it names no value', () => {
    const unknown = { name: null, rank: null, mp: null, pts: null };
    const participants = [{ id: 3 }, { name: 'no id' }, 5, { id: 4, columns: [null, 4] }];
    expect(readLeague(table([null, { participants }], '31'))?.groups).toEqual([
      { id: '', rows: [3, 4].map((id) => ({ id, ...unknown })), corrections: [] },
    ]);
    expect(readLeague({ object_id: 1 })).toEqual({ object_type: '', object_id: 1, groups: [] });
  });

  test.each([null, 'text', [], {}, { object_id: 'x' }])('is none in %j', (standings) => {
    expect(readLeague(standings)).toBeNull();
  });
});
