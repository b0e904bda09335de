import { describe, expect, test } from 'vitest';
import { coverageOf, decideScore, sameScore } from './goals.ts';

const s = (home: number, away: number) => ({ home, away });

describe('coverage (law 8)', () => {
  test.each([
    { snapshot: null, starts: 0, known: 0, coverage: 'none' },
    { snapshot: null, starts: 0, known: 3, coverage: 'partial' },
    { snapshot: null, starts: 1, known: 3, coverage: 'complete' },
    { snapshot: 100, starts: 0, known: 0, coverage: 'complete' },
  ])(
    '$coverage: snapshot $snapshot, $starts of $known incidents of the start',
    ({ snapshot, starts, known, coverage }) => {
      expect(coverageOf(snapshot, starts, known)).toBe(coverage);
    },
  );
});

describe('the score (law 8)', () => {
  const derived = s(2, 1);
  const derivedFirm = s(1, 1);
  test.each([
    {
      coverage: 'complete',
      derived,
      reported: s(3, 0),
      score: derived,
      firm: derivedFirm,
      source: 'incidents',
      agreement: 'differs',
    },
    {
      coverage: 'complete',
      derived,
      reported: s(2, 1),
      score: derived,
      firm: derivedFirm,
      source: 'incidents',
      agreement: 'agrees',
    },
    {
      coverage: 'complete',
      derived,
      reported: null,
      score: derived,
      firm: derivedFirm,
      source: 'incidents',
      agreement: 'unknown',
    },
    {
      coverage: 'complete',
      derived: null,
      reported: s(3, 0),
      score: s(3, 0),
      firm: s(3, 0),
      source: 'reported',
      agreement: 'agrees',
    },
    {
      coverage: 'complete',
      derived: null,
      reported: null,
      score: null,
      firm: null,
      source: 'none',
      agreement: 'unknown',
    },
    {
      coverage: 'partial',
      derived,
      reported: s(3, 0),
      score: s(3, 0),
      firm: s(3, 0),
      source: 'reported',
      agreement: 'agrees',
    },
    {
      coverage: 'partial',
      derived,
      reported: null,
      score: derived,
      firm: derivedFirm,
      source: 'incidents',
      agreement: 'unknown',
    },
    {
      coverage: 'partial',
      derived: null,
      reported: null,
      score: null,
      firm: null,
      source: 'none',
      agreement: 'unknown',
    },
    {
      coverage: 'none',
      derived: s(0, 0),
      reported: s(3, 0),
      score: s(3, 0),
      firm: s(3, 0),
      source: 'reported',
      agreement: 'agrees',
    },
    {
      coverage: 'none',
      derived: s(0, 0),
      reported: null,
      score: null,
      firm: null,
      source: 'none',
      agreement: 'unknown',
    },
  ] as const)('$coverage, derived $derived, reported $reported: $source', (row) => {
    expect(
      decideScore({ coverage: row.coverage, derived: row.derived, derivedFirm, reported: row.reported }),
    ).toEqual({ score: row.score, firm: row.firm, source: row.source, agreement: row.agreement });
  });

  test('equals another only if both sides are equal; an unknown score equals only an unknown one', () => {
    expect(sameScore(s(1, 2), s(1, 2))).toBe(true);
    expect(sameScore(s(1, 2), s(2, 1))).toBe(false);
    expect(sameScore(null, s(0, 0))).toBe(false);
    expect(sameScore(null, null)).toBe(true);
  });
});
