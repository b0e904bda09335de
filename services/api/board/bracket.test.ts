import { describe, expect, test } from 'vitest';
import type { BoardMatch } from '#story/match.ts';
import { liveMatch } from '#story/testing/matches.ts';
import { type Bracket, type BracketRound, type BracketStage, bracketOf } from './bracket.ts';

const FINAL = { status_id: 11, status_type: 'finished' } as const;
let nextId = 1;

type BracketMatch = BracketStage['matches'][number];
type Changes = Partial<BoardMatch> &
  Partial<Pick<BracketMatch, 'round' | 'advancing_id' | 'winner_id' | 'series'>>;

/** Creates a match of two teams, which are named after their ids. */
function match(day: number, home: number, away: number, goals: string | null, changes: Changes = {}) {
  const { round = null, advancing_id = null, winner_id = null, series = [], ...rest } = changes;
  const [ofHome = 0, ofAway = 0] = goals?.split('-').map(Number) ?? [];
  const shown = liveMatch({
    event_id: nextId++,
    ...(goals === null ? { status_id: 1, status_type: 'scheduled' } : FINAL),
    start_date: `2026-08-${String(day).padStart(2, '0')} 15:00`,
    home: { name: `Team ${home}`, short_name: null, acronym: null },
    away: { name: `Team ${away}`, short_name: null, acronym: null },
    score: goals === null ? null : { home: ofHome, away: ofAway },
    ...rest,
  });
  return { match: shown, home_id: home, away_id: away, round, advancing_id, winner_id, series };
}

const stage = (stage_id: number, name: string, ...matches: BracketMatch[]) => ({ stage_id, name, matches });

/** Rounds as `Title: 1-0 Team a*, Team b`; a star marks who advances. */
function shape({ rounds, placements }: Bracket): string[] {
  const one = ({ title, ties }: BracketRound): string =>
    `${title}: ${ties
      .map(({ sides }) =>
        sides
          .map(
            ({ id, goals, kicks, advances }) =>
              `${id}${advances ? '*' : ''} ${goals ?? '-'}${kicks === null ? '' : `(${kicks})`}`,
          )
          .join(' v '),
      )
      .join(', ')}`;
  return [...rounds.map(one), ...placements.map((round) => `(${one(round)})`)];
}

describe('rounds', () => {
  const semis = stage(2, 'Semi-finals', match(2, 3, 1, '0-1'), match(2, 5, 7, '2-0'));
  const left = [match(1, 7, 8, '1-0'), match(1, 1, 2, '2-1')];
  const right = [match(1, 5, 6, '3-0'), match(1, 4, 3, '0-1')];
  const quarters = stage(1, 'Quarter-finals', ...left, ...right);
  const final = stage(4, 'Final', match(4, 5, 1, null));

  test('are in order of play, each tie aligned with the one it leads to, in any order of input', () => {
    expect(shape(bracketOf([final, semis, quarters]))).toEqual([
      'Quarter-finals: 5* 3 v 6 0, 7* 1 v 8 0, 4 0 v 3* 1, 1* 2 v 2 1',
      'Semi-finals: 5* 2 v 7 0, 3 0 v 1* 1',
      'Final: 5 - v 1 -',
    ]);
  });

  test('between teams that lost before are placements', () => {
    const third = stage(3, 'Third place', match(3, 3, 7, '2-2', { shoot_out: { home: 4, away: 2 } }));
    expect(shape(bracketOf([quarters, semis, third, final])).slice(2)).toEqual([
      'Final: 5 - v 1 -',
      '(Third place: 3* 2(4) v 7 2(2))',
    ]);
  });

  test('of one stage follow the names in its matches', () => {
    const first = match(1, 1, 2, '1-0', { round: 'Semi-finals' });
    const second = match(2, 1, 3, null, { round: 'Final' });
    const named = shape(bracketOf([stage(1, 'Play-offs', first, second)]));
    expect(named).toEqual(['Semi-finals: 1* 1 v 2 0', 'Final: 1 - v 3 -']);
  });

  test('without a match come last', () => {
    const rounds = shape(bracketOf([stage(9, 'Final'), semis]));
    expect(rounds).toEqual(['Semi-finals: 3 0 v 1* 1, 5* 2 v 7 0', 'Final: ']);
  });
});

describe('a tie', () => {
  const tie = (...legs: BracketMatch[]) =>
    shape(bracketOf([stage(1, 'Final', ...legs)]))[0]?.slice('Final: '.length);

  test('of two legs adds the goals of each team', () => {
    expect(tie(match(1, 1, 2, '1-0'), match(8, 2, 1, '3-1'))).toBe('1 2 v 2* 3');
  });

  test('is undecided until its last leg is over', () => {
    expect(tie(match(1, 1, 2, '1-0'), match(8, 2, 1, null))).toBe('1 - v 2 -');
    expect(tie(match(1, 1, 2, '1-0', { status_type: 'live', status_id: 34 }))).toBe('1 1 v 2 0');
  });

  test('is won by the side that the provider marks, such as by away goals', () => {
    expect(tie(match(1, 1, 2, '1-1'), match(8, 2, 1, '2-2', { advancing_id: 1 }))).toBe('1* 3 v 2 3');
  });

  test('is not decided by an abandoned match', () => {
    const abandoned = { status_id: 7 };
    expect(tie(match(1, 1, 2, '1-0', abandoned))).toBe('1 1 v 2 0');
    expect(tie(match(1, 1, 2, '1-0', { ...abandoned, advancing_id: 1 }))).toBe('1 1 v 2 0');
    expect(tie(match(1, 1, 2, '1-0'), match(8, 2, 1, '0-0', abandoned))).toBe('1 1 v 2 0');
  });

  test('with an awarded match is decided by the reported result', () => {
    // The result is the score of a finished match, whatever was played (law 8).
    const awarded = { status_id: 12, derived: { home: 1, away: 0 } };
    expect(tie(match(1, 1, 2, '0-3', awarded))).toBe('1 0 v 2* 3');
  });

  test('is undecided while its series names a missing match, unless the provider marks who advances', () => {
    const leg = match(1, 1, 2, '1-0', { winner_id: 1, series: [nextId, 99_999] });
    expect(tie(leg)).toBe('1 1 v 2 0');
    expect(tie({ ...leg, advancing_id: 2 })).toBe('1 1 v 2* 0');
    expect(tie({ ...leg, series: [leg.match.event_id] })).toBe('1* 1 v 2 0');
  });

  test('is undecided after one match when another tie of its round has two legs', () => {
    const one = match(1, 1, 2, '1-0', { winner_id: 1 });
    expect(tie(one, match(1, 3, 4, '0-2'), match(8, 4, 3, null))).toBe('1 1 v 2 0, 3 - v 4 -');
    expect(tie(one, match(1, 3, 4, null), match(8, 4, 3, null))).toBe('1 1 v 2 0, 3 - v 4 -');
    const replayed = [match(1, 3, 4, '1-1'), match(8, 4, 3, null)];
    expect(tie(one, ...replayed), 'a replay is no second leg').toBe('1* 1 v 2 0, 3 - v 4 -');
  });

  test('of two legs is not won by the winner of the second', () => {
    expect(tie(match(1, 1, 2, '3-0'), match(8, 2, 1, '1-0', { winner_id: 2 }))).toBe('1* 3 v 2 1');
    expect(tie(match(1, 1, 2, '1-0', { winner_id: 2 }))).toBe('1 1 v 2* 0');
  });
});

describe('a tie with level goals', () => {
  const kicks = (home: number, away: number) => ({ shoot_out: { home, away } });
  const legs = () => [match(1, 1, 2, '2-1'), match(8, 2, 1, '1-0')];

  test('is decided by the rule of its stage', () => {
    const ties = [{ stage_ids: [1], level: ['away_goals' as const, 'shoot_out' as const] }];
    expect(shape(bracketOf([stage(1, 'Round', ...legs())], ties))).toEqual(['Round: 1 2 v 2* 2']);
    const listed = [{ stage_ids: null, level: [{ listed: [[1, 2]] }] }];
    expect(shape(bracketOf([stage(1, 'Round', ...legs())], listed))).toEqual(['Round: 1* 2 v 2 2']);
  });

  test('is marked where no known rule decides, and not while it is played or once the provider names the winner', () => {
    const marks = (...matches: BracketMatch[]) =>
      bracketOf([stage(1, 'Round', ...matches)]).rounds.flatMap(({ ties }) =>
        ties.map(({ isUndecided }) => isUndecided),
      );
    expect(marks(...legs())).toEqual([true]);
    expect(marks(match(1, 1, 2, '2-1'), match(8, 2, 1, '1-0', { advancing_id: 2 }))).toEqual([false]);
    expect(marks(match(1, 1, 2, '2-1'), match(8, 2, 1, null))).toEqual([false]);
    expect(marks(match(1, 1, 2, '1-1', kicks(4, 2)))).toEqual([false]);
  });
});
