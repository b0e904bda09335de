import { describe, expect, test } from 'vitest';
import type { CompetitionRules } from './competition-rules.ts';
import { GameSet } from './game-set.ts';
import { correctionsAt, lastRanks, seasonOf, teamRows, totalsAt } from './standing.ts';
import { readGames } from './testing/derive.ts';
import { idOf, result, rulesOf } from './testing/results.ts';
import type { StandingsMatch } from './types.ts';

/** Returns a season of these results. */
function season(results: readonly StandingsMatch[], rules: CompetitionRules = rulesOf()) {
  const set = new GameSet();
  for (const game of readGames(results, rules).games) set.add(game);
  const ranked = seasonOf(set, set.teams(), rules);
  /** Returns the events that the cutoff before the last round of a team lacks; null if there is no cutoff. */
  const lacks = (letter: string) => {
    const cutoff = ranked.before.get(idOf(letter));
    return cutoff === undefined ? null : [...cutoff.without].map(({ eventId }) => eventId).sort();
  };
  return { ranked, lacks };
}

/** Two rounds on a day each. */
const TWO_ROUNDS = [
  result(1, 'A 1-0 B', { round_id: 1 }),
  result(2, 'C 1-0 D', { round_id: 1, start_date: '2024-01-01 15:00' }),
  result(3, 'A 1-0 C', { round_id: 2 }),
  result(4, 'B 1-0 D', { round_id: 2, start_date: '2024-01-03 15:00' }),
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

  test('is none for a team without an earlier game', () => {
    const { lacks } = season([...TWO_ROUNDS, result(5, 'E 1-0 A', { round_id: 3 })]);
    expect(lacks('E')).toBeNull();
    expect(lacks('A')).toEqual([5]);
    expect(lacks('B')).toEqual([3, 4, 5]);
  });

  test('is none without a game before it', () => {
    // Both games of either team are of one round.
    const { lacks } = season([result(1, 'A 1-0 B', { round_id: 1 }), result(2, 'B 1-0 A', { round_id: 1 })]);
    expect([lacks('A'), lacks('B')]).toEqual([null, null]);
  });

  test('lacks earlier games of the round, except one after which a team played in another round', () => {
    const early = result(2, 'C 1-0 D', { round_id: 2, start_date: '2024-01-02 15:00' });
    const last = result(9, 'A 1-0 B', { round_id: 2 });
    const before = [result(1, 'A 1-0 B', { round_id: 1 }), early];
    expect(season([...before, last]).lacks('A')).toEqual([2, 9]);
    const since = result(3, 'C 1-0 E', { round_id: 3 });
    expect(season([...before, since, last]).lacks('A')).toEqual([9]);
    const alone = [{ ...early, round_id: 7 }, last];
    expect(season([...before.slice(0, 1), ...alone]).lacks('A')).toEqual([9]);
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

describe('corrections', () => {
  const rules = rulesOf({
    corrections: [
      { participant_id: idOf('A'), value: -2, reason: 'Regulations', from: '2024-01-03' },
      { participant_id: idOf('B'), value: 1, reason: 'Regulations', from: null },
      { participant_id: 99, value: 5, reason: 'Regulations', from: null },
    ],
  });

  test('are in force from their day on, and all if the day is unknown', () => {
    const values = (day: string | null) => correctionsAt(rules, day).map(({ value }) => value);
    expect(values('2024-01-02')).toEqual([1, 5]);
    expect(values('2024-01-03')).toEqual([-2, 1, 5]);
    expect(values(null)).toEqual([-2, 1, 5]);
  });

  test('change the points of a cutoff, of its teams alone', () => {
    const { ranked } = season(TWO_ROUNDS, rules);
    const points = (cutoff = ranked.now) =>
      Array.from(totalsAt(ranked, cutoff), ([id, tally]) => [id, tally.points]);
    expect(points()).toEqual([
      [idOf('A'), 4],
      [idOf('B'), 4],
      [idOf('C'), 3],
      [idOf('D'), 0],
    ]);
    const before = ranked.before.get(idOf('A'));
    expect(points(before)).toEqual([
      [idOf('A'), 3],
      [idOf('B'), 1],
      [idOf('C'), 3],
      [idOf('D'), 0],
    ]);
  });
});

describe('last positions', () => {
  test('rank each cutoff once, for teams and for persons of a team', () => {
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

  test('are in the rows of teams, beside the name, the position and the values', () => {
    const { ranked } = season(TWO_ROUNDS);
    const ranks = new Map([
      [idOf('A'), 1],
      [50, 2],
    ]);
    const values = new Map([['pts', 6]]);
    expect(
      teamRows(
        ranked,
        () => ranks,
        () => values,
      ),
    ).toEqual([
      { id: idOf('A'), name: 'A', club: null, rank: 1, last_rank: 1, values },
      { id: 50, name: null, club: null, rank: 2, last_rank: null, values },
    ]);
  });
});
