import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#json/canonical-json.ts';
import type { Standings, StandingsRow } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { standingsEntry, standingsRecord } from './standings-record.ts';

const TABLE = sampleOf('standings');
const [GROUP] = TABLE.groups as [Standings['groups'][number]];
const [ROW] = GROUP.rows as [StandingsRow];

/** Returns a table as the contract shows it. */
function shown(changes: Partial<Standings> = {}) {
  const record = standingsRecord({ ...TABLE, ...changes });
  expect(JSON.stringify(record)).toBe(canonicalJson(record));
  return JSON.parse(JSON.stringify(record));
}

/** Returns the rows of a table with other rows, as the contract shows them. */
function rowsOf(rows: readonly Partial<StandingsRow>[], changes: Partial<Standings> = {}) {
  const groups = [{ ...GROUP, rows: rows.map((row) => ({ ...ROW, ...row })) }];
  return shown({ ...changes, groups }).groups[0].participants;
}

test('a table has the provider’s shape, with what it is of', () => {
  const corrections = [2, -3, 0].map((points, n) => ({
    participant_id: n,
    participant_name: n === 2 ? null : 'A',
    points,
    reason: 'Regulations',
  }));
  const [of, reason] = [{ object_type: 'stage', object_id: 76 }, 'Regulations'];
  const groups = [
    { ...GROUP, corrections },
    { id: null, zones: [], corrections: [], rows: [] },
  ];
  const cell = (code: string, value: unknown) => expect.objectContaining({ code, value });
  expect(shown({ ...of, groups })).toEqual({
    id: 39_719,
    name: 'League standings',
    type_id: 2,
    type_name: 'League standings',
    subtype: 'standings',
    sport_id: 5,
    ...of,
    object_name: '',
    item_status: 'active',
    reset_group_rank: 'yes',
    competition_id: 1478,
    season_id: 29_402,
    stage_id: 76,
    columns: [],
    groups: [
      {
        id: '31',
        name: '',
        zones: [{ id: 3, name: 'Next Round', colour: '#002400' }],
        corrections: [
          { participant_id: 0, participant_name: 'A', value: '+2', reason },
          { participant_id: 1, participant_name: 'A', value: '-3', reason },
          { participant_id: 2, participant_name: null, value: '0', reason },
        ],
        participants: [
          {
            id: 900,
            name: 'France',
            participant_type: 'team',
            participant_acronym: 'FRA',
            area_id: 7,
            area_name: 'France',
            zone_name: 'Next Round',
            subparticipant_id: null,
            subparticipant_name: null,
            rank: 1,
            last_rank: 2,
            columns: [
              { id: 1, code: 'mp', short_name: 'MP', value: 3 },
              cell('won', 2),
              cell('draw', 1),
              cell('lost', 0),
              cell('goals_scored', 3),
              cell('goals_allowed', 1),
              cell('goals_diff', 2),
              cell('pts', 5),
              cell('form', 'D,W,W'),
            ],
          },
        ],
      },
      { id: '', name: '', zones: [], corrections: [], participants: [] },
    ],
  });
});

test('a table without groups is deleted, and one of a season has no stage', () => {
  expect(shown({ groups: [] })).toMatchObject({ item_status: 'deleted', groups: [], stage_id: null });
  expect(standingsEntry({ ...TABLE, groups: [] })).toMatchObject({ item_status: 'deleted', ut: TABLE.ut });
});

test('a row without an id has its place, and the row of a whole season the season’s', () => {
  const participant = { ...ROW.participant, id: null, name: null };
  const ids = (ranks: string) =>
    rowsOf([{ participant }, { participant: { ...participant, name: 'A' } }], { ranks }).map(
      ({ id, name }: { id: number; name: string }) => [id, name],
    );
  expect(ids('result')).toEqual([
    [1, ''],
    [2, 'A'],
  ]);
  expect(ids('competition')).toEqual([
    [29_402, ''],
    [29_402, 'A'],
  ]);
});

describe('a column', () => {
  const cellsOf = (type_id: number, ranks: string, row: Partial<StandingsRow>) =>
    rowsOf([row], { type_id, ranks })[0].columns.map(
      ({ code, value }: { code: string; value: unknown }) => `${code} ${value}`,
    );

  test('with a figure per match or a share has two decimals, one without a value is empty', () => {
    const columns = { result: '2:1', amount: 3, pct: 7.5 };
    expect(cellsOf(39, 'result', { columns })).toEqual(['result 2:1', 'amount 3', 'pct 7.50']);
    expect(cellsOf(39, 'result', { columns: { amount: 0, pct: null } })).toEqual(['amount 0', 'pct ']);
  });

  test('that is unknown is left out, but for persons, and counts of homes have their own codes', () => {
    const scorer = cellsOf(6, 'person', { columns: { goals_scored: 5 } });
    expect(scorer).toEqual(expect.arrayContaining(['goals_scored 5', 'goals_per_match ']));
    expect(cellsOf(4, 'team', {})).toContain('home_mp 3');
  });

  test('of a type of a later release is not shown', () => {
    expect(cellsOf(9_999, 'team', {})).toEqual([]);
  });
});
