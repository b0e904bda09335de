import { describe, expect, test } from 'vitest';
import { lines, result, rulesOf, table } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

/** Returns the ranks of a league table by some criteria. */
function ranks(results: readonly SeasonResult[], tie_break: readonly unknown[], codes: string[] = []) {
  return lines(table('league', results, rulesOf({ tie_break })), ...codes);
}

/** A and B each won 2-0 and lost 0-2: A won away, B won at home. */
const VENUES = [result(1, 'C 0-2 A'), result(2, 'A 0-2 D'), result(3, 'B 2-0 C'), result(4, 'D 2-0 B')];
const LEVEL = ['points', 'goals_diff', 'goals_scored'];

describe('criteria of real competitions', () => {
  test('goals, wins, points and goal difference away from home separate equal teams', () => {
    expect(ranks(VENUES, LEVEL).slice(0, 3)).toEqual(['1 D', '2 A', '2 B']);
    for (const figure of ['away_goals', 'away_won', 'away_points', 'away_goals_diff'])
      expect(ranks(VENUES, [...LEVEL, figure]).slice(0, 3)).toEqual(['1 D', '2 A', '3 B']);
  });

  test('goals, wins and goal difference at home separate equal teams', () => {
    for (const figure of ['home_goals', 'home_won', 'home_goals_diff'])
      expect(ranks(VENUES, [...LEVEL, figure]).slice(0, 3)).toEqual(['1 D', '2 B', '3 A']);
  });

  test('fewer goals allowed, fewer defeats and the goal average rank higher', () => {
    const results = [result(1, 'A 3-2 C'), result(2, 'B 2-1 D'), result(3, 'A 0-1 D'), result(4, 'B 0-1 C')];
    const top = (figure: string) =>
      ranks(results, ['points', 'goals_diff', figure]).filter((line) => /[AB]$/.test(line));
    expect(top('won')).toEqual(['1 A', '1 B']);
    expect(top('goals_allowed')).toEqual(['1 B', '3 A']);
    // 3 by 3 and 2 by 2 are one average; 4 by 3 and 3 by 2 are not.
    expect(top('goal_average')).toEqual(['1 A', '1 B']);
    const scored = [result(1, 'A 4-3 C'), result(2, 'B 3-2 D')];
    expect(ranks(scored, ['points', 'goals_diff', 'goal_average']).slice(0, 2)).toEqual(['1 B', '2 A']);
    const draws = [
      result(1, 'A 0-0 C'),
      result(2, 'A 0-0 D'),
      result(3, 'A 0-0 B'),
      result(4, 'B 1-0 C'),
      result(5, 'D 1-0 B'),
    ];
    expect(ranks(draws, ['goals_diff', 'lost']).filter((line) => /[AB]$/.test(line))).toEqual(['2 A', '3 B']);
  });

  test('a team that allowed no goal has the best average', () => {
    expect(
      ranks([result(1, 'A 1-0 C'), result(2, 'B 9-1 D')], ['points', 'goal_average']).slice(0, 2),
    ).toEqual(['1 A', '2 B']);
    expect(ranks([result(1, 'A 0-0 B')], ['points', 'goal_average'])).toEqual(['1 A', '1 B']);
  });

  test('points, goal difference and goals of all opponents separate equal teams', () => {
    // A met C, who won twice; B met D, who won once and drew once.
    const results = [result(1, 'A 1-1 C'), result(2, 'B 1-1 D'), result(3, 'C 1-0 E'), result(4, 'D 3-3 F')];
    const top = (figure: string) =>
      ranks(results, ['points', 'goals_diff', 'goals_scored', figure]).filter((line) => /[AB]$/.test(line));
    expect(top('won')).toEqual(['4 A', '4 B']);
    expect(top('opponents_points')).toEqual(['4 A', '5 B']);
    expect(top('opponents_goals_diff')).toEqual(['4 A', '5 B']);
    expect(top('opponents_goals_scored')).toEqual(['4 B', '5 A']);
  });

  test('an opponent that was met twice counts twice', () => {
    const results = [
      result(1, 'A 0-0 C'),
      result(2, 'C 0-0 A'),
      result(3, 'B 0-0 D'),
      result(4, 'B 0-0 E'),
      result(5, 'C 1-0 F'),
      result(6, 'D 1-0 F'),
    ];
    const top = ranks(results, ['points', 'opponents_points']).filter((line) => /[AB]$/.test(line));
    expect(top).toEqual(['3 A', '4 B']);
  });

  test('a list from elsewhere separates the teams that it names, and no others', () => {
    const results = [result(1, 'A 0-0 B')];
    expect(ranks(results, ['points', { listed: [[2, 1]] }])).toEqual(['1 B', '2 A']);
    expect(ranks(results, ['points', { listed: [[2, 3]] }])).toEqual(['1 A', '1 B']);
  });
});

describe('a head-to-head', () => {
  /** A, B and C beat one another; A by most goals, B and C are level. D lost to all. */
  const CIRCLE = [result(1, 'A 2-0 B'), result(2, 'B 1-0 C'), result(3, 'C 1-0 A')];

  test('compares away goals among the teams', () => {
    const results = [result(1, 'A 1-1 B'), result(2, 'B 2-2 A')];
    expect(ranks(results, ['points', { head_to_head: ['points', 'away_goals'] }])).toEqual(['1 A', '2 B']);
  });

  test('starts again as soon as one criterion separates some, if the rules say each', () => {
    const again = (value: unknown) =>
      ranks(CIRCLE, ['points', { head_to_head: ['points', 'goals_diff', 'goals_scored'], again: value }]);
    // By goal difference A +1, C 0, B -1: nobody is left equal.
    expect(again('each')).toEqual(['1 A', '2 C', '3 B']);
    const level = [
      result(1, 'A 3-0 B'),
      result(2, 'B 4-0 C'),
      result(3, 'C 2-0 A'),
      result(4, 'D 0-9 A'),
      result(5, 'D 0-9 B'),
      result(6, 'D 0-9 C'),
    ];
    // Difference: A +1, B +1, C -2. A and B start again: A beat B. By goals B would be first.
    const step = { head_to_head: ['points', 'goals_diff', 'goals_scored'] };
    expect(ranks(level, ['points', step]).slice(0, 3)).toEqual(['1 B', '2 A', '3 C']);
    expect(ranks(level, ['points', { ...step, again: true }]).slice(0, 3)).toEqual(['1 B', '2 A', '3 C']);
    expect(ranks(level, ['points', { ...step, again: 'each' }]).slice(0, 3)).toEqual(['1 A', '2 B', '3 C']);
  });

  test('compares at most as many teams as the rules allow', () => {
    const step = { head_to_head: ['goals_diff'], most_teams: 2 };
    expect(ranks(CIRCLE, ['points', step])).toEqual(['1 A', '1 B', '1 C']);
    expect(ranks([result(1, 'A 2-0 B'), result(2, 'B 1-0 A')], ['points', step])).toEqual(['1 A', '2 B']);
  });
});

describe('results that only rules can say', () => {
  test('a match that both teams lose counts as a defeat of each, by the awarded goals', () => {
    const rules = rulesOf({ awarded: [{ event_id: 1, both_lose: { scored: 0, allowed: 3 } }] });
    const codes = ['mp', 'won', 'draw', 'lost', 'goals_scored', 'goals_allowed', 'pts', 'form'];
    for (const kind of ['league', 'live'] as const)
      expect(lines(table(kind, [result(1, 'A 2-2 B')], rules), ...codes)).toEqual([
        '1 A 1 0 0 1 0 3 0 L',
        '1 B 1 0 0 1 0 3 0 L',
      ]);
    expect(
      lines(table('away', [result(1, 'A 2-2 B')], rules), 'away_mp', 'away_lost', 'away_goals_allowed'),
    ).toEqual(['1 A 0 0 0', '2 B 1 1 3']);
    const level = rulesOf({ awarded: [{ event_id: 1, both_lose: { scored: 0, allowed: 0 } }] });
    expect(lines(table('league', [result(1, 'A 2-2 B')], level), 'draw', 'lost')).toEqual([
      '1 A 0 1',
      '1 B 0 1',
    ]);
  });

  test('a draw gives the points of its shoot-out, and stays a draw', () => {
    const points = { won: 3, draw: 1, lost: 0, shoot_out: { won: 2, lost: 1 } };
    const kicks = { home: 3, away: 4 };
    const shootOut = [result(1, 'A 1-1 B', { shoot_out: kicks })];
    const shown = (rules: ReturnType<typeof rulesOf>, results: SeasonResult[]) =>
      lines(table('league', results, rules), 'pts', 'draw', 'goals_scored', 'form');
    expect(shown(rulesOf({ points }), shootOut)).toEqual(['1 B 2 1 1 D', '2 A 1 1 1 D']);
    expect(shown(rulesOf(), shootOut)).toEqual(['1 A 1 1 1 D', '1 B 1 1 1 D']);
    const all = rulesOf({ points: { ...points, shoot_out: { won: 3, lost: 0 } } });
    const home = result(2, 'A 0-0 B', { shoot_out: { home: 5, away: 4 } });
    expect(shown(all, [...shootOut, home])).toEqual(['1 A 3 2 1 D,D', '1 B 3 2 1 D,D']);
    expect(shown(all, [home])).toEqual(['1 A 3 1 0 D', '2 B 0 1 0 D']);
    // Without known kicks it is a draw; after a win kicks decide nothing.
    expect(shown(rulesOf({ points }), [result(1, 'A 1-1 B')])).toEqual(['1 A 1 1 1 D', '1 B 1 1 1 D']);
    expect(shown(rulesOf({ points }), [result(1, 'A 2-1 B', { shoot_out: kicks })])).toEqual([
      '1 A 3 0 2 W',
      '2 B 0 0 1 L',
    ]);
  });
});

test('a red card is a second yellow one where its attribute says so', () => {
  const card = (kind: 'yellow' | 'red', attribute_ids: number[] = []) => ({
    kind,
    team_id: 1,
    player: { id: 9, name: null },
    attribute_ids,
  });
  const ranked = (attributes: number[], cards: ReturnType<typeof card>[]) => {
    // B has four points against: A is above with three, below with five.
    const ofB = [{ ...card('red'), team_id: 2, player: { id: 8, name: null } }];
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
});
