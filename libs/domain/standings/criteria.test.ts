import { describe, expect, test } from 'vitest';
import { SeasonTables } from './season-tables.ts';
import { CARD, league, lines, result, results, rowOf, rulesOf, score, table } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

/** Returns the ranks of a league table by some criteria. */
function ranks(games: readonly SeasonResult[], tie_break: readonly unknown[]) {
  return lines(table('league', games, rulesOf({ tie_break })));
}

/** A and B each won 2-0 and lost 0-2: A won away, B won at home. */
const VENUES = results('C 0-2 A, A 0-2 D, B 2-0 C, D 2-0 B');
const LEVEL = ['points', 'goals_diff', 'goals_scored'];

describe('criteria of real competitions', () => {
  /** The ranks of A and B. */
  const top = (games: readonly SeasonResult[], ...criteria: readonly unknown[]) =>
    ranks(games, criteria).filter((line) => /[AB]$/.test(line));

  test('goals, wins, points and goal difference away from home separate equal teams', () => {
    expect(top(VENUES, ...LEVEL)).toEqual(['2 A', '2 B']);
    for (const figure of ['away_goals', 'away_won', 'away_points', 'away_goals_diff'])
      expect(top(VENUES, ...LEVEL, figure)).toEqual(['2 A', '3 B']);
  });

  test('goals, wins and goal difference at home separate equal teams', () => {
    for (const figure of ['home_goals', 'home_won', 'home_goals_diff'])
      expect(top(VENUES, ...LEVEL, figure)).toEqual(['2 B', '3 A']);
  });

  test('fewer goals allowed, fewer defeats and the goal average rank higher', () => {
    const games = results('A 3-2 C, B 2-1 D, A 0-1 D, B 0-1 C');
    expect(top(games, 'points', 'goals_diff', 'won')).toEqual(['1 A', '1 B']);
    expect(top(games, 'points', 'goals_diff', 'goals_allowed')).toEqual(['1 B', '3 A']);
    // 3 by 3 and 2 by 2 are one average; 4 by 3 and 3 by 2 are not.
    expect(top(games, 'points', 'goals_diff', 'goal_average')).toEqual(['1 A', '1 B']);
    const scored = results('A 4-3 C, B 3-2 D');
    expect(top(scored, 'points', 'goals_diff', 'goal_average')).toEqual(['1 B', '2 A']);
    const drawn = results('A 0-0 C, A 0-0 D, A 0-0 B, B 1-0 C, D 1-0 B');
    expect(top(drawn, 'goals_diff', 'lost')).toEqual(['2 A', '3 B']);
  });

  test('a team that allowed no goal has the best average', () => {
    expect(top(results('A 1-0 C, B 9-1 D'), 'points', 'goal_average')).toEqual(['1 A', '2 B']);
    expect(ranks(results('A 0-0 B, C 1-2 D'), ['goal_average'])).toEqual(['1 D', '2 C', '3 A', '3 B']);
  });

  test('points, goal difference and goals of all opponents separate equal teams', () => {
    // A met C, who won twice; B met D, who won once and drew once.
    const games = results('A 1-1 C, B 1-1 D, C 1-0 E, D 3-3 F');
    const by = (figure: string) => top(games, ...LEVEL, figure);
    expect(by('won')).toEqual(['4 A', '4 B']);
    expect(by('opponents_points')).toEqual(['4 A', '5 B']);
    expect(by('opponents_goals_diff')).toEqual(['4 A', '5 B']);
    expect(by('opponents_goals_scored')).toEqual(['4 B', '5 A']);
  });

  test('an opponent that was met twice counts twice', () => {
    const games = results('A 0-0 C, C 0-0 A, B 0-0 D, B 0-0 E, C 1-0 F, D 1-0 F');
    expect(top(games, 'points', 'opponents_points')).toEqual(['3 A', '4 B']);
  });

  test('a list from elsewhere separates the teams that it names, and no others', () => {
    const games = results('A 0-0 B');
    expect(top(games, 'points', { listed: [[2, 1]] })).toEqual(['1 B', '2 A']);
    expect(top(games, 'points', { listed: [[2, 3]] })).toEqual(['1 A', '1 B']);
  });
});

describe('a head-to-head', () => {
  /** A, B and C beat one another; A by most goals, B and C are level. D lost to all. */
  const CIRCLE = results('A 2-0 B, B 1-0 C, C 1-0 A');

  test('compares away goals among the teams', () => {
    const games = results('A 1-1 B, B 2-2 A');
    expect(ranks(games, ['points', { head_to_head: ['points', 'away_goals'] }])).toEqual(['1 A', '2 B']);
  });

  test('starts again as soon as one criterion separates some, if the rules say each', () => {
    const again = (value: unknown) =>
      ranks(CIRCLE, ['points', { head_to_head: ['points', 'goals_diff', 'goals_scored'], again: value }]);
    // By goal difference A +1, C 0, B -1: nobody is left equal.
    expect(again('each')).toEqual(['1 A', '2 C', '3 B']);
    const level = results('A 3-0 B, B 4-0 C, C 2-0 A, D 0-9 A, D 0-9 B, D 0-9 C');
    // Difference: A +1, B +1, C -2. A and B start again: A beat B. By goals B would be first.
    const step = { head_to_head: ['points', 'goals_diff', 'goals_scored'] };
    expect(ranks(level, ['points', step]).slice(0, 3)).toEqual(['1 B', '2 A', '3 C']);
    expect(ranks(level, ['points', { ...step, again: true }]).slice(0, 3)).toEqual(['1 B', '2 A', '3 C']);
    expect(ranks(level, ['points', { ...step, again: 'each' }]).slice(0, 3)).toEqual(['1 A', '2 B', '3 C']);
  });

  test('compares at most as many teams as the rules allow', () => {
    const step = { head_to_head: ['goals_diff'], most_teams: 2 };
    expect(ranks(CIRCLE, ['points', step])).toEqual(['1 A', '1 B', '1 C']);
    expect(ranks(results('A 2-0 B, B 1-0 A'), ['points', step])).toEqual(['1 A', '2 B']);
  });
});

describe('results that only rules can say', () => {
  test('a match that both teams lose counts as a defeat of each, by the awarded goals', () => {
    const rules = rulesOf({ awarded: [{ event_id: 1, both_lose: { scored: 0, allowed: 3 } }] });
    const codes = ['mp', 'won', 'draw', 'lost', 'goals_scored', 'goals_allowed', 'pts', 'form'];
    const games = [result(1, 'A 2-2 B')];
    for (const kind of ['league', 'live'] as const)
      expect(lines(table(kind, games, rules), ...codes)).toEqual([
        '1 A 1 0 0 1 0 3 0 L',
        '1 B 1 0 0 1 0 3 0 L',
      ]);
    const away = lines(table('away', games, rules), 'away_mp', 'away_lost', 'away_goals_allowed');
    expect(away).toEqual(['1 A 0 0 0', '2 B 1 1 3']);
    const halves = [result(1, 'A 2-2 B', { first_half: score('1-0') })];
    expect(lines(table('halftime', halves, rules), '1half_won')).toEqual(['1 A 1', '2 B 0']);
    const level = rulesOf({ awarded: [{ event_id: 1, both_lose: { scored: 0, allowed: 0 } }] });
    expect(league('draw lost', [result(1, 'A 2-2 B')], level)).toEqual(['1 A 0 1', '1 B 0 1']);
  });

  test('a draw gives the points of its shoot-out, and stays a draw', () => {
    const points = { won: 3, draw: 1, lost: 0, shoot_out: { won: 2, lost: 1 } };
    const kicks = { home: 3, away: 4 };
    const shootOut = [result(1, 'A 1-1 B', { shoot_out: kicks })];
    const shown = (rules: ReturnType<typeof rulesOf>, games: SeasonResult[]) =>
      league('pts draw goals_scored form', games, rules);
    expect(shown(rulesOf({ points }), shootOut)).toEqual(['1 B 2 1 1 D', '2 A 1 1 1 D']);
    expect(shown(rulesOf(), shootOut)).toEqual(['1 A 1 1 1 D', '1 B 1 1 1 D']);
    const all = rulesOf({ points: { ...points, shoot_out: { won: 3, lost: 0 } } });
    const home = result(2, 'A 0-0 B', { shoot_out: { home: 5, away: 4 } });
    expect(shown(all, [...shootOut, home])).toEqual(['1 A 3 2 1 D,D', '1 B 3 2 1 D,D']);
    expect(shown(all, [home])).toEqual(['1 A 3 1 0 D', '2 B 0 1 0 D']);
    // It is a draw without known kicks, while they are level, in each half, and if it was awarded.
    const drawn = ['1 A 1 1 1 D', '1 B 1 1 1 D'];
    for (const shoot_out of [null, { home: 3, away: 3 }])
      expect(shown(all, [result(1, 'A 1-1 B', { shoot_out })])).toEqual(drawn);
    const halves = [result(1, 'A 1-1 B', { shoot_out: kicks, first_half: score('0-0') })];
    expect(lines(table('halftime', halves, all), '1half_pts')).toEqual(['1 A 1', '1 B 1']);
    expect(shown({ ...all, awarded: [{ event_id: 1, home: 1, away: 1 }] }, shootOut)).toEqual(drawn);
    // After a win kicks decide nothing.
    const won = [result(1, 'A 2-1 B', { shoot_out: kicks })];
    expect(shown(rulesOf({ points }), won)).toEqual(['1 A 3 0 2 W', '2 B 0 0 1 L']);
  });
});

test('a red card is a second yellow one where its attribute says so', () => {
  const card = (kind: 'yellow' | 'red', attribute_ids: number[] = []) => ({
    kind,
    team_id: 1,
    player: { id: 9, name: null },
    attribute_ids,
  });
  const ranked = (attributes: number[], cards: ReturnType<typeof card>[], kind: 'yellow' | 'red' = 'red') => {
    // B has four points against: A is above with three, below with five.
    const ofB = [{ ...card(kind), team_id: 2, player: { id: 8, name: null } }];
    const fair_play = {
      yellow: -1,
      second_yellow: -3,
      red: -4,
      yellow_and_red: -5,
      second_yellow_attributes: attributes,
    };
    return ranks([result(1, 'A 0-0 B', { cards: [...cards, ...ofB] })], ['points', { fair_play }]);
  };
  const sentOff = [card('yellow'), card('red', [7, 70])];
  expect(ranked([], sentOff)).toEqual(['1 B', '2 A']);
  expect(ranked([70], sentOff)).toEqual(['1 A', '2 B']);
  expect(ranked([70], [card('red', [70])])).toEqual(['1 A', '2 B']);
  expect(ranked([71], sentOff)).toEqual(['1 B', '2 A']);
  expect(ranked([70], sentOff, 'yellow')).toEqual(['1 B', '2 A']);
  expect(ranked([70], [card('yellow', [70])], 'yellow')).toEqual(['1 A', '1 B']);
});

test.each([
  [{ head_to_head: ['goals_diff'] }, results('A 1-0 B, B 5-0 A')],
  ['opponents_points', results('B 1-0 C, B 1-0 D, B 1-0 E, F 1-0 A, C 1-0 F, C 1-0 F, B 0-0 A')],
  [
    { fair_play: { yellow: -1, second_yellow: -3, red: -4, yellow_and_red: -5 } },
    [
      result(1, 'A 1-0 B', { cards: [{ ...CARD, team_id: 2 }] }),
      result(2, 'A 1-0 B', { cards: [{ ...CARD, kind: 'red' as const }] }),
    ],
  ],
])('%j counts no match of the last round before it, and none that is taken back', (step, games) => {
  const rules = rulesOf({ tie_break: [step] });
  const league = table('league', games, rules);
  const last = ['A', 'B'].map((team) => rowOf(league, team)?.last_rank ?? 0);
  expect(Math.sign((last[0] ?? 0) - (last[1] ?? 0))).toBe(step === 'opponents_points' ? 1 : -1);
  const [taken, never] = [new SeasonTables(1, 2, rules), new SeasonTables(1, 2, rules)];
  for (const one of games) taken.apply(one);
  for (const one of games.slice(0, -1)) never.apply(one);
  taken.derive();
  taken.apply({ ...(games.at(-1) as SeasonResult), removed: true });
  expect(taken.derive()).toEqual(never.derive());
});
