import { describe, expect, test } from 'vitest';
import { providerLeague } from '#ingestion/provider-standings.ts';
import type { StandingsRow } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { compareLeague, correctionText, type DifferenceKind, differenceText } from './provider-league.ts';

type DerivedLeague = Parameters<typeof compareLeague>[1][number];
type Row = readonly [id: number, rank: number, mp: number | string, pts: number | string];

/** Reads rows of id, rank, matches and points; `-` is a value that is left out. */
const rowsOf = (...texts: readonly string[]): Row[] =>
  texts.map(
    (text) => text.split(' ').map((word) => (word === '-' ? '' : JSON.parse(word))) as unknown as Row,
  );

const participants = (rows: readonly Row[]) =>
  rows.map(([id, rank, mp, pts]) => ({
    id,
    name: `Team ${id}`,
    rank,
    columns: [
      { id: 1, code: 'mp', value: mp },
      { id: 8, code: 'pts', value: pts },
    ],
  }));
describe('the provider’s table beside ours', () => {
  const ours = (
    rows: readonly Row[],
    more: Partial<Omit<DerivedLeague, 'groups'>> & { group?: number } = {},
  ): DerivedLeague => {
    const { group: id = null, ...league } = more;
    const [sample] = sampleOf('standings').groups;
    const row = sample?.rows[0] as StandingsRow;
    const derived = rows.map(([team, rank, played, points]) => ({
      ...row,
      rank,
      participant: { ...row.participant, id: team, name: `Team ${team}` },
      played: Number(played),
      points: Number(points),
    }));
    const groups = [{ id, zones: [], corrections: [], rows: derived }];
    return { standings_id: 900, object_type: 'season', object_id: 31, groups, ...league };
  };
  const compare = (theirs: readonly Row[], derived: readonly DerivedLeague[], more: object = {}) => {
    const group = { id: '', name: '', participants: participants(theirs), ...more };
    const table = { id: 40_001, object_type: 'season', object_id: 31, groups: [group] };
    const read = providerLeague(table, new Set());
    return read === null ? [] : compareLeague(read, derived);
  };
  const differences = (theirs: readonly Row[], derived: readonly Row[]) =>
    compare(theirs, [ours(derived)]).flatMap((one) =>
      one.differences.map((found) => [found.kind, found.participant_id, found.ours, found.theirs]),
    );

  test('is the same', () => {
    const rows = rowsOf('1 1 2 6', '2 2 2 0');
    const same = { standings_id: 900, group: '', corrections: [], differences: [] };
    expect(compare(rows, [ours(rows)])).toEqual([same]);
  });

  test('differs by a correction that only the provider applies', () => {
    const correction = { participant_name: 'Team 1', value: -6, reason: 'Regulations' };
    const [compared] = compare(rowsOf('2 1 2 3', '1 2 2 0'), [ours(rowsOf('1 1 2 6', '2 2 2 3'))], {
      corrections: [correction],
    });
    expect(compared).toEqual({
      standings_id: 900,
      group: '',
      corrections: [{ ...correction, participant_id: null, value: '-6', other: {} }],
      differences: [{ participant_id: 1, name: 'Team 1', kind: 'points', ours: 6, theirs: 0 }],
    });
  });

  test('differs by matches before their points, and by teams', () => {
    const theirs = rowsOf('1 1 3 9', '3 2 0 0');
    const derived = rowsOf('1 1 2 6', '2 2 2 0');
    expect(differences(theirs, derived)).toEqual([
      ['matches', 1, 2, 3],
      ['team', 2, 2, null],
      ['team', 3, null, 2],
    ]);
  });

  test('differs by rank only where all matches and points agree', () => {
    const derived = rowsOf('1 1 2 4', '2 2 2 4', '3 3 2 1');
    const swapped = rowsOf('2 1 2 4', '1 2 2 4', '3 3 2 1');
    expect(differences(swapped, derived)).toEqual([['rank', 2, 2, 1]]);
    expect(differences([...swapped.slice(0, 2), [3, 3, 2, 0]], derived)).toEqual([['points', 3, 1, 0]]);
  });

  test('has ranks of teams whose rank is unknown compared with nothing', () => {
    const derived = rowsOf('1 1 2 4', '2 2 2 4', '3 3 2 4');
    expect(differences(rowsOf('1 1 2 4', '2 null 2 4', '3 - 2 4'), derived)).toEqual([]);
    const swapped = rowsOf('3 1 2 4', '1 2 2 4', '2 3 2 4');
    expect(differences(swapped, derived)).toEqual([['rank', 3, 3, 1]]);
  });

  test('may give two teams the rank of one', () => {
    const derived = rowsOf('1 1 2 4', '2 2 2 4');
    expect(differences(rowsOf('2 1 2 4', '1 1 2 4'), derived)).toEqual([]);
  });

  test('may order teams that are equal here, and leave values out', () => {
    const equal = rowsOf('1 1 0 0', '2 1 0 0');
    expect(differences(rowsOf('2 1 0 0', '1 2 - -'), equal)).toEqual([]);
  });

  test('is compared with the table of its object and group', () => {
    const rows = rowsOf('1 1 2 6');
    const other = rowsOf('1 1 9 9');
    const stage = ours(other, { standings_id: 901, object_type: 'stage', object_id: 31 });
    expect(compare(rows, [stage, ours(rows)])[0]?.standings_id).toBe(900);
    const [eight, seven] = [
      { standings_id: 902, group: 8 },
      { standings_id: 903, group: 7 },
    ] as const;
    const groups = [ours(other, eight), ours(rows, seven)];
    expect(compare(rows, groups, { id: 7 })[0]).toMatchObject({ standings_id: 903, group: '7' });
  });

  test('is compared, as one of a season, with the stage that has most of its teams, then most matches', () => {
    const rows = rowsOf('1 1 4 9', '2 2 4 6');
    const of = (id: number, some: readonly Row[]) =>
      ours(some, { standings_id: id, object_type: 'stage', object_id: id });
    const stages = [of(910, rows.slice(0, 1)), of(911, rowsOf('1 1 2 6', '2 2 2 0')), of(912, rows)];
    expect(compare(rows, stages)[0]?.standings_id).toBe(912);
    expect(compare(rows, stages.slice(0, 2))[0]?.standings_id).toBe(911);
    // Teams that the provider's table does not have are none that both share.
    const others = of(913, [rows[0] as Row, [7, 2, 9, 9], [8, 3, 9, 9]]);
    expect(compare(rows, [others, stages[1] as DerivedLeague])[0]?.standings_id).toBe(911);
    const season = (id: number, object_id: number, some: readonly Row[]) =>
      ours(some, { standings_id: id, object_id });
    const seasons = [season(914, 914, rows), season(915, 31, rows.slice(0, 1))];
    expect(compare(rows, seasons)[0]?.standings_id).toBe(915);
  });

  test('is compared with nothing where ours has no group', () => {
    expect(compare(rowsOf('1 1 2 6'), [{ ...ours([]), groups: [] }])).toEqual([]);
  });

  test('is left out where we rank none of its teams', () => {
    expect(compare(rowsOf('1 1 2 6'), [ours(rowsOf('5 1 2 6'))])).toEqual([]);
  });
});

test('a correction is said with what is known of it', () => {
  const known = { participant_name: 'Everton', value: '-6', reason: 'Financial issues' };
  expect(correctionText(known)).toBe('Everton: -6 points (Financial issues)');
  expect(correctionText({ ...known, participant_name: '', reason: '' })).toBe('-6 points');
  expect(correctionText({ participant_name: null, value: undefined, reason: null })).toBe('? points');
});

test('a difference is said with both values, or the table that has the team', () => {
  const said = (kind: DifferenceKind, ours: number | null, theirs: number | null) =>
    differenceText({ kind, name: 'Everton', ours, theirs });
  expect([said('rank', 3, 4), said('points', 54, 48), said('matches', 38, 37)]).toEqual([
    'Everton: rank 4 there, 3 here',
    'Everton: 48 points there, 54 here',
    'Everton: 37 matches there, 38 here',
  ]);
  const alone = [said('team', 1, null), said('team', null, 1)];
  expect(alone).toEqual(['Everton: only here', 'Everton: only there']);
});
