import { describe, expect, test } from 'vitest';
import type { Standings, StandingsGroup, StandingsRow } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { readDataset } from '../../../data/dataset.ts';
import { checkTables } from './check.ts';

const DATASET = readDataset('world-cup-2018');
// Russia - Saudi Arabia 5-0 and Egypt - Uruguay 0-1, of group A.
const MATCHES = DATASET.matches.slice(0, 2);

type Row = {
  id: number;
  name: string;
  rank: number;
  mp: number;
  pts: number;
  scored: number;
  allowed: number;
};
const RUSSIA: Row = { id: 31_524, name: 'Russia', rank: 1, mp: 1, pts: 3, scored: 5, allowed: 0 };
const [
  { home: saudiHome, away: saudi } = { home: 0, away: 0 },
  { home: egypt, away: uruguay } = { home: 0, away: 0 },
] = MATCHES;
const ROWS: Row[] = [
  RUSSIA,
  { id: uruguay, name: 'Uruguay', rank: 2, mp: 1, pts: 3, scored: 1, allowed: 0 },
  { id: egypt, name: 'Egypt', rank: 3, mp: 1, pts: 0, scored: 0, allowed: 1 },
  { id: saudi, name: 'Saudi Arabia', rank: 4, mp: 1, pts: 0, scored: 0, allowed: 5 },
];

function table(type_id: number, object_id: number, id: string, rows: readonly Row[]): Standings {
  const sample = sampleOf('standings');
  const [group] = sample.groups as [StandingsGroup];
  const [row] = group.rows as [StandingsRow];
  return {
    ...sample,
    standings_id: type_id * 1000 + object_id,
    type_id,
    object_type: 'stage',
    object_id,
    groups: [
      {
        ...group,
        id: Number(id),
        rows: rows.map(({ mp, pts, scored, allowed, rank, ...team }) => ({
          ...row,
          rank,
          participant: { ...row.participant, ...team },
          played: mp,
          points: pts,
          goals_for: scored,
          goals_against: allowed,
          columns: { goals_scored: scored },
        })),
      },
    ],
  };
}

const [first] = MATCHES;
const LEAGUE = (rows: readonly Row[]) => table(2, first?.stage ?? 0, String(first?.group), rows);

describe('tables', () => {
  test('are right when every team has the official points and goals', () => {
    expect(saudiHome).toBe(RUSSIA.id);
    expect(checkTables(DATASET, MATCHES, [LEAGUE(ROWS)])).toEqual({ right: 1, all: 1 });
  });

  test.each<[string, Standings[]]>([
    ['a point is missing', [LEAGUE([{ ...RUSSIA, pts: 2 }, ...ROWS.slice(1)])]],
    ['a goal is missing', [LEAGUE([{ ...RUSSIA, scored: 4 }, ...ROWS.slice(1)])]],
    ['a team is missing', [LEAGUE(ROWS.slice(1))]],
    ['the table is missing', []],
    ['only another type of table exists', [table(4, first?.stage ?? 0, String(first?.group), ROWS)]],
  ])('are wrong when %s', (_, tables) => {
    expect(checkTables(DATASET, MATCHES, tables)).toEqual({ right: 0, all: 1 });
  });
});
