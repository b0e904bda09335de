/** Compares the groups of all world cups with their official ranks, if the data is present: `npm run test:tables`. */
import { describe, expect, test } from 'vitest';
import type { ResultCard } from '#topics/generated/types.ts';
import { finished, hasOfficial, readCsv } from './testing/official-data.ts';
import { rulesFile, rulesOf, teamOf } from './testing/results.ts';
import { tablesOfSeason } from './testing/seasons.ts';
import type { PlacedResult } from './types.ts';

const numberOf = (id: string | undefined) => Number((id ?? '').replace(/\D/g, ''));

/** The teams that a lot or a play-off match separated, in their order, by group. */
const DECIDED: Readonly<Record<string, readonly string[]>> = {
  'WC-1954 group stage Group 2': ['West Germany', 'Turkey'],
  'WC-1954 group stage Group 3': ['Uruguay', 'Austria'],
  'WC-1954 group stage Group 4': ['Switzerland', 'Italy'],
  'WC-1958 group stage Group 1': ['Northern Ireland', 'Czechoslovakia'],
  'WC-1958 group stage Group 3': ['Wales', 'Hungary'],
  'WC-1958 group stage Group 4': ['Soviet Union', 'England'],
  'WC-1990 group stage Group F': ['Republic of Ireland', 'Netherlands'],
};

/** Returns the rules of a tournament. `decided`: ids of teams in the order that a lot or a play-off gave. */
function rulesOfTournament(id: string, decided: readonly number[]) {
  const year = Number(id.slice(3, 7));
  const points = { won: year < 1994 ? 2 : 3, draw: 1, lost: 0 };
  const listed = decided.length === 0 ? [] : [{ listed: [decided] }];
  if (year < 1970) return rulesOf({ points, tie_break: ['points', ...listed, 'goal_average', 'goals_diff'] });
  // Cards decide since 2018 alone.
  if (year >= 2018) return rulesFile(year === 2018 ? 'world-cup-2018' : 'world-cup-2022');
  const head_to_head = ['points', 'goals_diff', 'goals_scored'];
  return rulesOf({
    points,
    tie_break: ['points', 'goals_diff', 'goals_scored', { head_to_head }, ...listed],
  });
}

function cardsByMatch(): Map<string, ResultCard[]> {
  const byMatch = new Map<string, ResultCard[]>();
  for (const row of readCsv('worldcup/bookings.csv')) {
    const card = {
      team_id: numberOf(row.team_id),
      player: { id: numberOf(row.player_id), name: null },
      attribute_ids: [],
    };
    const cards = byMatch.get(row.match_id ?? '') ?? [];
    if (row.yellow_card === '1') cards.push({ ...card, kind: 'yellow' });
    if (row.second_yellow_card === '1') cards.push({ ...card, kind: 'yellow' });
    if (row.sending_off === '1') cards.push({ ...card, kind: 'red' });
    byMatch.set(row.match_id ?? '', cards);
  }
  return byMatch;
}

describe.runIf(hasOfficial('worldcup'))('the groups of all world cups', () => {
  const rows = readCsv('worldcup/group_standings.csv');
  /** Matches name some stages and groups differently from tables. */
  const keyOf = ({ tournament_id = '', stage_name = '', group_name = '' }: Record<string, string>) => {
    const stage = stage_name.replace(/^first (group stage|round)$/, 'group stage');
    const letter = /^second/.test(stage) && tournament_id === 'WC-1982';
    const group = group_name
      .replace('not applicable', 'Group 1')
      .replace(/\d$/, (digit) => (letter ? String.fromCharCode(64 + Number(digit)) : digit))
      .replace(/[a-h]$/, (name) => name.toUpperCase());
    return `${tournament_id} ${stage} ${group}`;
  };
  const cards = cardsByMatch();
  const matches = Map.groupBy(
    readCsv('worldcup/matches.csv').filter(
      ({ group_stage, replay }) => group_stage === '1' && replay === '0',
    ),
    keyOf,
  );
  const groups = [...Map.groupBy(rows, keyOf)];

  test.each(groups)('%s', (key, official) => {
    const ids = (DECIDED[key] ?? []).map((name) =>
      numberOf(official.find(({ team_name }) => team_name === name)?.team_id),
    );
    // In 1954 and 1958 the second match of two teams was a play-off, which is no match of the table.
    const met = new Set<string>();
    const results = (matches.get(key) ?? []).flatMap((row, at): PlacedResult[] => {
      const pair = [row.home_team_id, row.away_team_id].sort().join();
      if (met.has(pair)) return [];
      met.add(pair);
      return [
        finished(at + 1, `${row.match_date} ${row.match_time}`, 1, {
          home: teamOf(numberOf(row.home_team_id), row.home_team_name),
          away: teamOf(numberOf(row.away_team_id), row.away_team_name),
          score: { home: Number(row.home_team_score), away: Number(row.away_team_score) },
          cards: cards.get(row.match_id ?? '') ?? [],
        }),
      ];
    });
    const rules = rulesOfTournament(key, ids);
    const shown = tablesOfSeason(results, rules, 'league', 'mp', 'goals_diff', 'pts')[1] ?? [];
    const expected = official.map(
      (row) => `${row.position} ${row.team_name} ${row.played} ${row.goal_difference} ${row.points}`,
    );
    expect(shown).toEqual(expected);
  });

  test('are all there', () => {
    expect(groups).toHaveLength(159);
    expect(Object.keys(DECIDED).filter((key) => !matches.has(key))).toEqual([]);
  });
});
