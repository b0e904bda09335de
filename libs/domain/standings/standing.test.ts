import { describe, expect, test } from 'vitest';
import type { CompetitionRules } from './competition-rules.ts';
import { GameSet } from './game-set.ts';
import { lastRanks, seasonOf } from './standing.ts';
import { readGames } from './testing/derive.ts';
import { idOf, result, rulesOf } from './testing/results.ts';
import type { SeasonResult } from './types.ts';

/** Returns a season of these results. */
function season(results: readonly SeasonResult[], rules: CompetitionRules = rulesOf()) {
  const set = new GameSet(readGames(results, rules).games);
  const ranked = seasonOf(set, set.teams(), rules);
  /** Returns the events that the cutoff before the last round of a team lacks; null if there is no cutoff. */
  const lacks = (letter: string) => {
    const cutoff = ranked.before.get(idOf(letter));
    const kept = new Set(cutoff?.games);
    return cutoff === undefined
      ? null
      : [...set].flatMap((game) => (kept.has(game) ? [] : game.eventId)).sort();
  };
  return { ranked, lacks };
}

/** Two rounds on a day each. */
const TWO_ROUNDS = [
  result(1, 'A 1-0 B', { round_id: 1 }),
  result(2, 'C 1-0 D', { round_id: 1, start_date: '2024-01-01 15:00' }),
  result(3, 'A 1-0 C', { round_id: 2 }),
  result(4, 'B 1-0 D', { round_id: 2, start_date: '2024-01-03 18:00' }),
];

describe('the cutoff before the last round', () => {
  test('lacks the games of the round, and is the same for all teams whose last round that was', () => {
    const { ranked, lacks } = season(TWO_ROUNDS);
    for (const team of ['A', 'B', 'C', 'D']) {
      expect(lacks(team)).toEqual([3, 4]);
      expect(ranked.before.get(idOf(team))).toBe(ranked.before.get(idOf('A')));
    }
    expect(ranked.before.get(idOf('A'))?.day).toBe('2024-01-01');
  });

  test('is none without a game before it', () => {
    // Both games of either team are of one round.
    const { lacks } = season([result(1, 'A 1-0 B', { round_id: 1 }), result(2, 'B 1-0 A', { round_id: 1 })]);
    expect([lacks('A'), lacks('B')]).toEqual([null, null]);
  });

  test('lacks games by their time alone if the round is unknown', () => {
    const of = { round_id: null };
    const games = [result(1, 'A 1-0 B', of), result(2, 'C 1-0 D', of), result(3, 'A 1-0 C', of)];
    expect(season(games).lacks('A')).toEqual([3]);
    expect(season(games).lacks('C')).toEqual([3]);
    expect(season(games).lacks('D')).toBeNull();
  });

  test('differs between teams whose last games were at other times', () => {
    const games = [...TWO_ROUNDS, result(5, 'A 1-0 D', { round_id: 3 })];
    const { ranked, lacks } = season(games);
    expect([lacks('A'), lacks('B')]).toEqual([[5], [3, 4, 5]]);
    expect(ranked.before.get(idOf('D'))).toBe(ranked.before.get(idOf('A')));
    expect(ranked.before.get(idOf('C'))).toBe(ranked.before.get(idOf('B')));
  });
});

test('last positions rank each cutoff once, for teams and for persons of a team', () => {
  const { ranked } = season([...TWO_ROUNDS, result(5, 'E 1-0 A', { round_id: 3 })]);
  let calls = 0;
  const last = lastRanks(ranked, () => {
    calls += 1;
    return new Map([
      [idOf('A'), 4],
      [idOf('B'), 2],
      [77, 9],
    ]);
  });
  expect([last(idOf('A')), last(idOf('B')), last(77, idOf('B'))]).toEqual([4, 2, 9]);
  // E played its first round, and nobody ranked C.
  expect([last(idOf('E')), last(idOf('C'))]).toEqual([null, null]);
  expect(calls).toBe(2);
});
