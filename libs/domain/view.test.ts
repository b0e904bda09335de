import { describe, expect, test } from 'vitest';
import type { MatchState, Score } from '#records/types.ts';
import { coverageOf, decideScore } from './view.ts';

const s = (home: number, away: number) => ({ home, away });

test.each([
  { snapshot: null, starts: 0, known: 0, coverage: 'none' },
  { snapshot: null, starts: 0, known: 3, coverage: 'partial' },
  { snapshot: null, starts: 1, known: 3, coverage: 'complete' },
  { snapshot: 100, starts: 0, known: 0, coverage: 'complete' },
])(
  'coverage (law 8): $coverage: snapshot $snapshot, $starts of $known incidents of the start',
  ({ snapshot, starts, known, coverage }) => {
    expect(coverageOf(snapshot, starts, known)).toBe(coverage);
  },
);

describe('the score (law 8)', () => {
  const derived = s(2, 1);
  const derivedFirm = s(1, 1);
  type Row = [source: string, score: Score | null, firm: Score | null, agreement: string, atTheEnd?: Score];
  test.each<[MatchState['coverage'], derived: Score | null, reported: Score | null, ...Row]>([
    ['complete', derived, s(3, 0), 'incidents', derived, derivedFirm, 'differs', s(3, 0)],
    ['complete', derived, s(2, 1), 'incidents', derived, derivedFirm, 'agrees', s(2, 1)],
    ['complete', derived, null, 'incidents', derived, derivedFirm, 'unknown'],
    ['complete', null, s(3, 0), 'reported', s(3, 0), s(3, 0), 'agrees'],
    ['complete', null, null, 'none', null, null, 'unknown'],
    ['partial', derived, s(3, 0), 'reported', s(3, 0), s(3, 0), 'agrees'],
    ['partial', derived, null, 'incidents', derived, derivedFirm, 'unknown'],
    ['partial', null, null, 'none', null, null, 'unknown'],
    ['none', s(0, 0), s(3, 0), 'reported', s(3, 0), s(3, 0), 'agrees'],
    ['none', s(0, 0), null, 'none', null, null, 'unknown'],
  ])('%s, derived %j, reported %j: %s', (...row) => {
    const [coverage, derived, reported, source, score, firm, agreement, atTheEnd] = row;
    const sources = { coverage, derived, derivedFirm, reported };
    const whilePlayed = decideScore({ ...sources, finished: false, awarded: false });
    expect(whilePlayed).toEqual({ score, firm, source, agreement });
    const final = atTheEnd ? { score: atTheEnd, firm: atTheEnd, source: 'reported', agreement } : whilePlayed;
    expect(decideScore({ ...sources, finished: true, awarded: false })).toEqual(final);
    const awarded = { score: reported, firm: reported, source: reported === null ? 'none' : 'reported' };
    expect(decideScore({ ...sources, finished: true, awarded: true })).toEqual({ ...awarded, agreement });
  });
});
