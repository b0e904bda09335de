/** Compares the groups of all world cups with their official ranks, if the data is present: `npm run test:tables`. */
import { describe, expect, test } from 'vitest';
import type { ResultCard } from '#records/types.ts';
import { GameSet } from './game-set.ts';
import { readGame } from './games.ts';
import { fairPlayPoints } from './ranking.ts';
import type { FairPlay } from './ranking-criteria.ts';
import { countOfficial } from './testing/official-count.ts';
import { finished, hasOfficial, readCsv } from './testing/official-data.ts';
import { rulesFile, rulesOf, teamOf } from './testing/results.ts';
import { tablesOfSeason } from './testing/seasons.ts';
import type { SeasonResult } from './types.ts';

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
    const results = (matches.get(key) ?? []).flatMap((row, at): SeasonResult[] => {
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
    countOfficial(1);
  });

  test('are all there', () => {
    expect(groups).toHaveLength(159);
    expect(Object.keys(DECIDED).filter((key) => !matches.has(key))).toEqual([]);
  });
});

/** The attribute of a red card that is a second yellow one, in the cards of this test. */
const SECOND_YELLOW = 77;

describe.runIf(hasOfficial('worldcup'))('the 3,178 cards of all world cups', () => {
  const rows = readCsv('worldcup/bookings.csv');
  const player = (row: Record<string, string>) => `${row.match_id}|${row.player_id}`;
  const byPlayer = Map.groupBy(rows, player);

  /** Returns the fair-play points of each team, of the cards as the provider reports them: a second yellow one is a red card. */
  function pointsBy(second_yellow_attributes: readonly number[]): ReadonlyMap<number, number> | null {
    const worth: FairPlay = {
      yellow: -1,
      second_yellow: -3,
      red: -4,
      yellow_and_red: -5,
      second_yellow_attributes: [...second_yellow_attributes],
    };
    const matches = [...Map.groupBy(rows, ({ match_id }) => match_id).values()];
    const games = matches.flatMap((cards, at) => {
      const [home = 0, away = -1] = [...new Set(cards.map(({ team_id }) => numberOf(team_id)))];
      const shown = cards.flatMap((row): ResultCard[] => {
        const card = {
          team_id: numberOf(row.team_id),
          player: { id: numberOf(row.player_id), name: null },
          attribute_ids: [],
        };
        const isSecond = row.second_yellow_card === '1';
        // The row of a second yellow card mostly stands for the first one too.
        const hasFirst = isSecond && (byPlayer.get(player(row))?.length ?? 0) > 1;
        const red = { ...card, kind: 'red' as const, attribute_ids: isSecond ? [SECOND_YELLOW] : [] };
        return [
          ...(row.yellow_card === '1' && !hasFirst ? [{ ...card, kind: 'yellow' as const }] : []),
          ...(row.sending_off === '1' ? [red] : []),
        ];
      });
      const match = { home: teamOf(home), away: teamOf(away), score: { home: 0, away: 0 }, cards: shown };
      return readGame(finished(at + 1, '2000-01-01 12:00', 1, match), rulesFile('world-cup-2022')) ?? [];
    });
    const teams = [...new Set(rows.map(({ team_id }) => numberOf(team_id)))];
    return fairPlayPoints(teams, new GameSet(games), worth);
  }

  /** Returns the points of each team by the flags of the data. `second`: those of a second yellow card. */
  function pointsOf(second: number): Map<number, number> {
    const points = new Map<number, number>();
    for (const cards of byPlayer.values()) {
      const count = (flag: string) => cards.filter((row) => row[flag] === '1').length;
      const team = numberOf(cards[0]?.team_id);
      const [yellow, red] = [count('yellow_card'), count('red_card')];
      let worth = red > 0 ? -4 : -1;
      if (red > 0 && yellow > 0) worth = -5;
      if (count('second_yellow_card') > 0) worth = second;
      // One player was shown two yellow cards in 2006, and stayed.
      else if (yellow > 1) worth = -3;
      points.set(team, (points.get(team) ?? 0) + worth);
    }
    return points;
  }

  test('count -3 for each second yellow one, whose attribute says so', () => {
    expect(rows).toHaveLength(3_178);
    expect(rows.filter(({ second_yellow_card }) => second_yellow_card === '1')).toHaveLength(70);
    expect(pointsBy([SECOND_YELLOW])).toEqual(pointsOf(-3));
  });

  test('count each of these as a yellow and a red one where no attribute is known', () => {
    expect(pointsBy([])).toEqual(pointsOf(-5));
  });
});
