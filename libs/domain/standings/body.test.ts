import { expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import { standingsBody, type TableObject, typeFields } from './body.ts';
import { TABLE_TYPES, type TableKind, type TableType } from './columns.ts';
import type { Table, TableRow } from './tables.ts';

const SEASON: TableObject = { type: 'season', id: 30, competitionId: 4, seasonId: 30 };
const STAGE: TableObject = { type: 'stage', id: 76, competitionId: 4, seasonId: 30 };

function typeOf(kind: TableKind): TableType {
  const type = TABLE_TYPES.get(kind);
  if (type === undefined) throw new Error(`no type ${kind}`);
  return type;
}

const row = (changes: Partial<TableRow> = {}): TableRow => ({
  id: 1,
  name: 'A',
  participant_acronym: 'AAA',
  area_id: 5,
  area_name: 'England',
  rank: 1,
  last_rank: 2,
  zone_name: 'Up',
  subparticipant_id: null,
  subparticipant_name: null,
  columns: [{ code: 'mp', id: 10, short_name: 'M', value: 3 }],
  ...changes,
});

const correction = (participant_id: number, value: number) => ({
  participant_id,
  value,
  reason: 'Regulations' as const,
  from: null,
  stage_id: null,
  season_id: null,
});

const tableOf = (kind: TableKind, changes: Partial<Table> = {}): Table => ({
  type: typeOf(kind),
  zones: [],
  corrections: [],
  rows: [],
  ...changes,
});

function bodyOf(kind: TableKind, object: TableObject, ...groups: readonly [number | null, Partial<Table>][]) {
  const tables = groups.map(([id, changes]) => ({ id, table: tableOf(kind, changes) }));
  const text = standingsBody({
    id: 99,
    type: typeOf(kind),
    name: typeOf(kind).type_name,
    object,
    groups: tables,
  });
  const body = JSON.parse(text);
  expect(text).toBe(canonicalJson(body));
  return body;
}

test('a table has the provider’s shape, with what it is of', () => {
  const zones = [{ id: 3, name: 'Up', colour: '#0f0', from: 1, to: 2 }];
  const corrections = [correction(1, 2), correction(2, -3), correction(7, 0)];
  const rows = [row(), row({ id: 2, name: 'B', last_rank: null, columns: [] })];
  const body = bodyOf('league', STAGE, [8, { zones, corrections, rows }], [null, {}]);
  const first = { id: 1, name: 'A', participant_type: 'team', participant_acronym: 'AAA', area_id: 5 };
  const rest = { area_name: 'England', zone_name: 'Up', subparticipant_id: null, subparticipant_name: null };
  const cell = { id: 10, code: 'mp', short_name: 'M', value: 3 };
  const reason = 'Regulations';
  expect(body).toEqual({
    id: 99,
    name: 'League standings',
    type_id: typeOf('league').type_id,
    type_name: 'League standings',
    subtype: 'standings',
    sport_id: 5,
    object_type: 'stage',
    object_id: 76,
    object_name: '',
    item_status: 'active',
    reset_group_rank: 'yes',
    competition_id: 4,
    season_id: 30,
    stage_id: 76,
    columns: [],
    groups: [
      {
        id: '8',
        name: '',
        zones: [{ id: 3, name: 'Up', colour: '#0f0' }],
        corrections: [
          { participant_id: 1, participant_name: 'A', value: '+2', reason },
          { participant_id: 2, participant_name: 'B', value: '-3', reason },
          { participant_id: 7, participant_name: null, value: '0', reason },
        ],
        participants: [
          { ...first, ...rest, rank: 1, last_rank: 2, columns: [cell] },
          { ...first, ...rest, id: 2, name: 'B', rank: 1, last_rank: null, columns: [] },
        ],
      },
      { id: '', name: '', zones: [], corrections: [], participants: [] },
    ],
  });
});

test('a table without groups is deleted, and one of a season has no stage', () => {
  expect(bodyOf('league', STAGE)).toMatchObject({ item_status: 'deleted', groups: [] });
  expect(bodyOf('league', SEASON)).toMatchObject({ object_type: 'season', stage_id: null });
});

test('a row without an id has its place, and the row of a whole season the season’s', () => {
  const rows = [row({ id: null, name: null }), row({ id: null })];
  const ids = (kind: TableKind) =>
    bodyOf(kind, SEASON, [null, { rows }]).groups[0].participants.map(({ id, name }: TableRow) => [id, name]);
  expect(ids('popular_results')).toEqual([
    [1, ''],
    [2, 'A'],
  ]);
  expect(ids('overall_stats')).toEqual([
    [30, ''],
    [30, 'A'],
  ]);
});

test('the id of a type that nothing publishes is 0', () => {
  const unknown = { ...typeOf('league'), type_id: null };
  expect(typeFields(unknown)).toMatchObject({
    type_id: 0,
    type_name: 'League standings',
    subtype: 'standings',
  });
});
