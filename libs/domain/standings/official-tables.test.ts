/** Compares real seasons with their official tables (../shared/data), if present: `npm run test:tables`. */
import { describe, expect, test } from 'vitest';
import { cellsOf } from '#contract/rest/standings-record.ts';
import { readDataset } from '../../../data/dataset.ts';
import { TABLE_TYPES } from './columns.ts';
import { SeasonTables } from './season-tables.ts';
import { deriveTables } from './testing/derive.ts';
import { countOfficial } from './testing/official-count.ts';
import LEAGUES from './testing/official-leagues.json' with { type: 'json' };
import { correctionOf, rulesFile, teamOf } from './testing/results.ts';
import {
  hasGroupStage,
  hasSeason,
  readGroupStage,
  readOfficialTable,
  readSeason,
  type SeasonMatch,
  seasonsWithTable,
} from './testing/season-files.ts';
import { resultOfFacts } from './testing/seasons.ts';
import { groupsOn, type SeasonResult } from './types.ts';

/** Returns every match as its provider reports it: with ids instead of names. */
function resultsOf(matches: readonly SeasonMatch[], ids: ReadonlyMap<string, number>): SeasonResult[] {
  const side = (name: string) => teamOf(ids.get(name) ?? 0, name);
  return matches.map(({ round, date, time, home, away, ft, ht }, at) => ({
    event_id: at + 1,
    version: 1,
    cause: { offset: 0 },
    removed: false,
    stage_id: null,
    group_id: null,
    round_id: Number(/\d+/.exec(round)?.[0] ?? Math.floor(at / 2) + 1),
    start_date: `${date} ${time ?? '00:00'}`,
    status_id: 11,
    status_type: ft ? 'finished' : 'cancelled',
    home: side(home),
    away: side(away),
    score: ft ? { home: ft[0], away: ft[1] } : null,
    first_half: ht ? { home: ht[0], away: ht[1] } : null,
    second_half: ht && ft ? { home: ft[0] - ht[0], away: ft[1] - ht[1] } : null,
    goals: null,
    cards: null,
  }));
}

function idsOf(names: Iterable<string>): Map<string, number> {
  return new Map([...new Set(names)].sort().map((name, at) => [name, at + 1]));
}

const seasons = seasonsWithTable();

describe.runIf(seasons.length > 0)('official tables (../shared/data/tables)', () => {
  test.each(seasons)('%s', (name) => {
    const matches = readSeason(name);
    const official = readOfficialTable(name);
    const ids = idsOf(matches.flatMap(({ home, away }) => [home, away]));
    const corrections = official
      .filter(({ points_adjustment }) => points_adjustment !== 0)
      .map(({ team, points_adjustment }) => correctionOf(ids.get(team) ?? 0, points_adjustment));
    const rules = { ...rulesFile(name.slice(0, 2)), corrections };
    const league = deriveTables(resultsOf(matches, ids), rules).tables.get('league');
    expect(league?.corrections.map(({ participant_id, points }) => [participant_id, points])).toEqual(
      corrections.map(({ participant_id, value }) => [participant_id, value]),
    );
    expect(
      league?.rows.map((row) => ({
        rank: row.rank,
        team: row.participant.name,
        mp: row.played,
        w: row.won,
        d: row.drawn,
        l: row.lost,
        gf: row.goals_for,
        ga: row.goals_against,
        pts: row.points,
        points_adjustment: row.corrections,
      })),
    ).toEqual(official);
    countOfficial(1);
  });
});

const leagues = Object.entries(
  LEAGUES as Record<
    string,
    {
      readonly rules: string;
      readonly corrections?: Readonly<Record<string, number>>;
      /** Teams that a play-off match separated, in its order. */
      readonly decided?: readonly string[];
      /** Names and points in the official order. */
      readonly table: readonly string[];
    }
  >,
).filter(([name]) => hasSeason(name));

describe.runIf(leagues.length > 0)('official tables of seasons without a table file (../shared/data)', () => {
  test.each(leagues)('%s', (name, { rules, corrections = {}, decided = [], table }) => {
    const matches = readSeason(name);
    const ids = idsOf(matches.flatMap(({ home, away }) => [home, away]));
    const file = rulesFile(rules);
    const listed = decided.map((team) => ids.get(team) ?? 0);
    const tie_break =
      listed.length === 0
        ? file.tie_break
        : [...file.tie_break.slice(0, 1), { listed: [listed] }, ...file.tie_break.slice(1)];
    const own = {
      ...file,
      tie_break,
      corrections: Object.entries(corrections).map(([team, value]) =>
        correctionOf(ids.get(team) ?? 0, value),
      ),
    };
    const rows = deriveTables(resultsOf(matches, ids), own).tables.get('league')?.rows ?? [];
    expect(rows.map((row) => `${row.rank} ${row.participant.name} ${row.points}`)).toEqual(
      table.map((line, at) => `${at + 1} ${line}`),
    );
    countOfficial(1);
  });
});

test('the Premier League 2017-18 of data/ has its official table', () => {
  const { matches } = readDataset('england-2017-18');
  const results = matches.map(resultOfFacts);
  const rows = deriveTables(results, rulesFile('en')).tables.get('league')?.rows ?? [];
  expect(rows.map((row) => [row.rank, row.points])).toEqual(
    [100, 81, 77, 75, 70, 63, 54, 49, 47, 44, 44, 44, 42, 41, 40, 37, 36, 33, 33, 31].map((points, at) => [
      at + 1,
      points,
    ]),
  );
  countOfficial(1);
});

/** Place and points of Everton and Nottingham Forest on days of 2023-24, as the Premier League published them. */
const OF_2024 = [
  ['2023-11-16', 'Everton FC', 14, 14],
  ['2023-11-17', 'Everton FC', 19, 4],
  ['2023-11-24', 'Everton FC', 19, 4],
  ['2023-11-25', 'Everton FC', 19, 4],
  ['2024-02-25', 'Everton FC', 17, 21],
  ['2024-02-26', 'Everton FC', 15, 25],
  ['2024-03-17', 'Nottingham Forest FC', 17, 25],
  ['2024-03-18', 'Nottingham Forest FC', 18, 21],
  ['2024-04-07', 'Everton FC', 15, 29],
  ['2024-04-08', 'Everton FC', 16, 27],
] as const;

describe.runIf(hasSeason('en.1_2023-24'))('deductions of the Premier League 2023-24', () => {
  test.each(OF_2024)('%s: %s is %dth with %d points', (day, team, rank, points) => {
    const matches = readSeason('en.1_2023-24');
    const ids = idsOf(matches.flatMap(({ home, away }) => [home, away]));
    const corrections = (
      [
        ['Everton FC', -10, '2023-11-17'],
        ['Everton FC', 4, '2024-02-26'],
        ['Nottingham Forest FC', -4, '2024-03-18'],
        ['Everton FC', -2, '2024-04-08'],
      ] as const
    ).map(([team, value, from]) => correctionOf(ids.get(team) ?? 0, value, { from }));
    const season = new SeasonTables(1, 2, { ...rulesFile('en'), corrections });
    const played = resultsOf(matches, ids).map((one) =>
      (one.start_date ?? '').slice(0, 10) <= day
        ? one
        : { ...one, status_id: 1, status_type: 'scheduled', score: null },
    );
    for (const one of played) season.apply({ ...one, stage_id: 7, group_id: null });
    const league = season.derive().find(({ type }) => type.kind === 'league');
    const [group] = groupsOn(league ?? { groups: [], later: [] }, day);
    expect(group?.rows.find(({ participant }) => participant.name === team)).toMatchObject({ rank, points });
  });
});

describe('the groups of the World Cup 2018', () => {
  const { competition, matches } = readDataset('world-cup-2018');
  const rules = rulesFile('world-cup-2018');
  test.each(competition.stages.flatMap(({ groups }) => groups))(
    '$name: every official rank',
    ({ id, ranks }) => {
      const results = matches.filter(({ group }) => group === id).map(resultOfFacts);
      const rows = deriveTables(results, rules).tables.get('league')?.rows ?? [];
      expect(rows.map((row) => [row.rank, row.participant.id])).toEqual(
        ranks.map((team, at) => [at + 1, team]),
      );
      countOfficial(1);
    },
  );
});

describe.runIf(hasGroupStage())('the group stage of 2017-18 (../shared)', () => {
  test('equals the provider’s own answer in every column', () => {
    const { groups, matches } = readGroupStage();
    const ids = new Map(groups.flatMap(({ participants }) => participants.map(({ id, name }) => [name, id])));
    const rules = rulesFile('champions-league-groups-2017-18');
    expect(groups).toHaveLength(8);
    for (const group of groups) {
      const ofGroup = matches.filter(({ round }) => round === group.name);
      const ours = deriveTables(resultsOf(ofGroup, ids), rules).tables.get('league');
      expect(ours?.zones.map(({ id, name, colour }) => ({ id, name, colour }))).toEqual(group.zones);
      expect(ours?.corrections).toEqual(group.corrections);
      expect(
        ours?.rows.map((row) => {
          const { participant, rank, zone } = row;
          return {
            id: participant.id,
            name: participant.name,
            rank,
            zone_name: zone ?? '',
            columns: cellsOf(row, TABLE_TYPES.get('league')),
          };
        }),
      ).toEqual(group.participants);
    }
    countOfficial(groups.length);
  });
});
