import { expect, test } from 'vitest';
import { providerTable } from './provider-table.ts';

const ranking = {
  id: 777,
  name: 'National teams',
  type_id: 9,
  type_name: 'FIFA ranking',
  subtype: 'standings',
  object_type: 'sport',
  object_id: 5,
  sport_id: 5,
  item_status: 'active',
  ut: 1_600_000_000,
  groups: [{ participants: [{ rank: 1, id: 3 }], id: '' }],
};

test('passes a ranking of the provider through under its id, with its time as version', () => {
  const { entry, table } = providerTable(ranking, 1_700_000_000) ?? {};
  expect(table).toMatchObject({
    standings_id: 777,
    version: 1_600_000_000,
    type_id: 9,
    object_id: 5,
    cause: null,
  });
  expect(JSON.parse(table?.body ?? '')).toEqual(ranking);
  expect(entry).toMatchObject({
    standings_id: 777,
    name: 'National teams',
    object_type: 'sport',
    item_status: 'active',
  });
});

test('uses the time of the answer if the table has none', () => {
  expect(providerTable({ ...ranking, ut: null }, 1_700_000_000)?.table.version).toBe(1_700_000_000);
});

test('uses defaults for fields that the provider leaves out', () => {
  const { groups, id, type_id, object_id } = ranking;
  const least = { groups, id, type_id, object_id };
  expect(providerTable(least, 1_700_000_000)?.entry).toEqual({
    standings_id: 777,
    version: 1_700_000_000,
    name: '',
    type_id: 9,
    type_name: '',
    subtype: 'standings',
    object_type: '',
    object_id: 5,
    object_name: '',
    item_status: 'active',
    sport_id: 5,
    competition_id: null,
    season_id: null,
    ut: 1_700_000_000,
    cause: null,
  });
  const other = {
    type_name: 'T',
    subtype: 'live',
    object_name: 'World',
    item_status: 'deleted',
    sport_id: 1,
  };
  const named = { ...least, ...other };
  expect(providerTable(named, 1)?.entry).toMatchObject({ ...other, name: 'T' });
});

test.each([
  null,
  'text',
  {},
  { ...ranking, type_id: 2 },
  { ...ranking, id: null },
  { ...ranking, id: 2 ** 52 },
  { ...ranking, type_id: null },
  { ...ranking, object_id: null },
])('returns null for anything else: %j', (record) => {
  expect(providerTable(record, 1)).toBeNull();
});
