import { describe, expect, test } from 'vitest';
import type { TieRule } from './competition-rules.ts';
import { countOfficial } from './testing/official-count.ts';
import { hasOfficial, readCsv } from './testing/official-data.ts';
import { rulesFile, score } from './testing/results.ts';
import { levelRule, type TieLeg, tieOutcome } from './ties.ts';

const [A, B] = [1, 2];
const leg = (home: number, text: string, kicks: string | null = null): TieLeg => ({
  home,
  score: score(text),
  shoot_out: kicks === null ? null : score(kicks),
});
const listed = (...lists: number[][]) => ({ listed: lists });
const outcome = (legs: readonly TieLeg[], level: TieRule['level']) => tieOutcome([A, B], legs, level);

describe('a tie', () => {
  test('is won by more goals in all matches, whatever the rule', () => {
    expect(outcome([leg(A, '1-0'), leg(B, '2-0')], ['away_goals'])).toEqual({ winner: B });
    expect(outcome([leg(A, '2-1')], [])).toEqual({ winner: A });
  });

  test('with level goals is won by away goals, then by kicks after the last match, in the order of the rule', () => {
    const level = [leg(A, '2-1'), leg(B, '1-0')];
    expect(outcome(level, ['away_goals', 'shoot_out'])).toEqual({ winner: B });
    const kicks = [leg(A, '2-1'), leg(B, '1-0', '3-5')];
    expect(outcome(kicks, ['shoot_out'])).toEqual({ winner: A });
    expect(outcome(kicks, ['away_goals', 'shoot_out'])).toEqual({ winner: B });
    expect(outcome([leg(A, '1-1'), leg(B, '1-1', '4-2')], ['away_goals', 'shoot_out'])).toEqual({
      winner: B,
    });
  });

  test('of one match knows no away goals', () => {
    expect(outcome([leg(A, '1-1', '2-4')], ['away_goals', 'shoot_out'])).toEqual({ winner: B });
    expect(outcome([leg(A, '1-1')], ['away_goals'])).toBe('undecided');
  });

  test('that is replayed is won by the last match alone', () => {
    const replayed = [leg(A, '2-2'), leg(B, '0-1')];
    expect(outcome(replayed, ['replay', 'shoot_out'])).toEqual({ winner: A });
    expect(outcome([leg(A, '2-2'), leg(B, '0-0', '3-1')], ['replay', 'shoot_out'])).toEqual({ winner: B });
    expect(outcome([leg(A, '2-2')], ['replay', 'shoot_out'])).toBe('undecided');
    // A match that was ordered again: the first result counts for nothing.
    expect(outcome([leg(A, '3-1'), leg(B, '1-0')], ['replay'])).toEqual({ winner: B });
    expect(outcome([leg(A, '3-1'), leg(A, '0-1'), leg(B, '0-0', '4-5')], ['replay', 'shoot_out'])).toEqual({
      winner: A,
    });
  });

  test('is won by a lot, or by a list such as the final ranks of a league', () => {
    const level = [leg(A, '1-1'), leg(B, '0-0')];
    expect(outcome(level, [{ drawing_of_lots: [[B, A]] }])).toEqual({ winner: B });
    expect(outcome(level, [listed([A, 3], [A, B])])).toEqual({ winner: A });
    expect(outcome(level, [listed([A, 3])])).toBe('undecided');
  });

  test('with level goals everywhere is undecided by away goals, and by lists of one of its teams', () => {
    const level = [leg(A, '1-1'), leg(B, '1-1')];
    expect(outcome(level, ['away_goals'])).toBe('undecided');
    expect(outcome(level, ['away_goals', listed([3, A], [B, 3])])).toBe('undecided');
    expect(outcome(level, [{ drawing_of_lots: [[3, B, A]] }])).toEqual({ winner: B });
  });

  test('is not decided while a score is unknown', () => {
    expect(outcome([leg(A, '1-0'), leg(B, '?')], ['away_goals'])).toBe('unknown_score');
    expect(outcome([leg(A, '?'), leg(B, '1-0')], ['away_goals'])).toBe('unknown_score');
    expect(outcome([], ['away_goals'])).toBe('unknown_score');
  });
});

test('the rule of a stage is its own entry, else that of all others, else a shoot-out', () => {
  const ties: TieRule[] = [
    { stage_ids: null, level: ['replay'] },
    { stage_ids: [7], level: ['away_goals'] },
  ];
  expect(levelRule([{ stage_ids: [9], level: ['replay'] }], 7)).toEqual(['shoot_out']);
  const levels = [levelRule(ties, 7), levelRule(ties, 8), levelRule([], 7)].flat();
  expect(levels).toEqual(['away_goals', 'replay', 'shoot_out']);
});

/** Returns a score such as `2-1` from columns; null where a goal is missing. */
function goals(home: string | undefined, away: string | undefined) {
  return home === 'NA' || away === 'NA' || home === undefined || away === undefined
    ? null
    : { home: Number(home), away: Number(away) };
}

/** Returns the matches of each two teams in a round of a season. */
const pairsOf = (rows: readonly Record<string, string>[]) =>
  Map.groupBy(rows, ({ Season, round, home = '', visitor = '' }) =>
    [Season, round, ...[home, visitor].sort()].join('|'),
  );

const byDate = (legs: readonly Record<string, string>[]) =>
  legs.toSorted((a, b) => (String(a.Date) < String(b.Date) ? -1 : 1));

/** Returns the kicks of a column such as `4-1 `; null without a shoot-out. */
function kicksIn(text = '') {
  return /^\d+-\d+\s*$/.test(text) ? score(text.trim()) : null;
}

describe.runIf(hasOfficial('engsoccerdata'))('official ties (see official-data.ts)', () => {
  test('of the Champions League 2006-07 to 2015-16: everyone who advanced did so by the rule of the time', () => {
    const rows = readCsv('engsoccerdata/champs.csv').filter(
      ({ Season, leg: n, tiewinner }) =>
        Number(Season) >= 2006 && Number(Season) <= 2015 && (n === '1' || n === '2') && tiewinner !== 'NA',
    );
    const level = rulesFile('uefa-groups_2018-21').ties[0]?.level ?? [];
    const pairs = pairsOf(rows);
    const wrong: string[] = [];
    let ties = 0;
    for (const [pair, legs] of pairs) {
      if (legs.length !== 2) continue;
      ties += 1;
      const [one = '', other = ''] = [legs[0]?.home, legs[0]?.visitor];
      const outcome = tieOutcome(
        [A, B],
        byDate(legs).map((row) => ({
          home: row.home === one ? A : B,
          score: goals(row.hgoal, row.vgoal) && {
            home: Number(row.aethgoal === 'NA' ? row.hgoal : row.aethgoal),
            away: Number(row.aetvgoal === 'NA' ? row.vgoal : row.aetvgoal),
          },
          shoot_out: kicksIn(row.pens),
        })),
        level,
      );
      const winner = typeof outcome === 'object' ? (outcome.winner === A ? one : other) : outcome;
      if (winner !== legs[0]?.tiewinner) wrong.push(`${pair}: ${winner}, not ${legs[0]?.tiewinner}`);
    }
    expect(ties).toBeGreaterThan(400);
    expect(wrong).toEqual([]);
    countOfficial(0, ties);
  });

  test('of the FA Cup 2009-10 to 2018-19: the winner of every tie with its replays played on', () => {
    const all = readCsv('engsoccerdata/facup.csv').filter(({ Season }) => Number(Season) >= 2009);
    const level = rulesFile('fa-cup').ties[0]?.level ?? [];
    /** The last day on which each team played, by season. */
    const lastDay = new Map<string, string>();
    for (const { Season, Date: day = '', home, visitor } of all)
      for (const team of [home, visitor]) {
        const key = `${Season}|${team}`;
        if ((lastDay.get(key) ?? '') < day) lastDay.set(key, day);
      }
    const pairs = pairsOf(all.filter(({ round }) => round !== 'Final' && round !== 'f'));
    const wrong: string[] = [];
    let decided = 0;
    for (const [pair, rows] of pairs) {
      const [season, , one = '', other = ''] = pair.split('|');
      const legs = byDate(rows);
      const outcome = tieOutcome(
        [A, B],
        legs.map((row) => ({
          home: row.home === one ? A : B,
          score: goals(row.hgoal, row.vgoal),
          shoot_out: goals(row.hp, row.vp),
        })),
        level,
      );
      // The data lacks some replays: then the drawn match is the last one, and nobody may have won.
      if (outcome === 'undecided') continue;
      decided += 1;
      const winner = typeof outcome === 'object' ? (outcome.winner === A ? one : other) : outcome;
      const playedOn = (lastDay.get(`${season}|${winner}`) ?? '') > (legs.at(-1)?.Date ?? '');
      if (!playedOn) wrong.push(`${pair}: ${winner}`);
    }
    expect(decided).toBeGreaterThan(1_100);
    expect(wrong).toEqual([]);
    countOfficial(0, decided);
  });
});
