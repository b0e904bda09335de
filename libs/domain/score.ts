/** Law 8: which score of a match counts, and how much of its timeline is known. */
import type { MatchState, Score } from '#records/types.ts';

/** The score of a match by law 8. */
export type FinalScore = Readonly<Pick<MatchState, 'score' | 'firm' | 'source' | 'agreement'>>;

/** The input of law 8. */
type ScoreSources = {
  readonly coverage: MatchState['coverage'];
  /** The score of the goals; null when the sport has no goal rules or a side is unknown. */
  readonly derived: Score | null;
  readonly derivedFirm: Score | null;
  /** The provider's own result. */
  readonly reported: Score | null;
  readonly finished: boolean;
  /** Whether the match is awarded: what was played is not its score. */
  readonly awarded: boolean;
};

/** Law 8, coverage: complete with a snapshot or the timeline's start (`starts`), partial with any other body (`known`). */
export function coverageOf(snapshotAt: number | null, starts: number, known: number): MatchState['coverage'] {
  if (snapshotAt !== null || starts > 0) return 'complete';
  return known > 0 ? 'partial' : 'none';
}

/** Law 8: of a finished match the provider's result is the score; before, a complete timeline wins over it, and it over a partial one. */
export function decideScore({
  coverage,
  derived,
  derivedFirm,
  reported,
  finished,
  awarded,
}: ScoreSources): FinalScore {
  const usable = coverage === 'none' || awarded ? null : derived;
  const complete = coverage === 'complete' ? derived : null;
  if (reported === null) {
    if (usable === null) return { score: null, firm: null, source: 'none', agreement: 'unknown' };
    return { score: usable, firm: derivedFirm, source: 'incidents', agreement: 'unknown' };
  }
  const agreement = complete === null || sameScore(complete, reported) ? 'agrees' : 'differs';
  if (complete === null || finished)
    return { score: reported, firm: reported, source: 'reported', agreement };
  return { score: complete, firm: derivedFirm, source: 'incidents', agreement };
}

/** Whether two scores are equal; an unknown score equals only an unknown one. */
export function sameScore(a: Score | null, b: Score | null): boolean {
  return a === b || (a !== null && b !== null && a.home === b.home && a.away === b.away);
}
