import { INCIDENT } from '#contract/soccer.ts';
import type { Agreement, Coverage, Incident, Score, ScoreSource } from '#topics/generated/types.ts';

/** The result of law 8. */
export type FinalScore = {
  readonly score: Score | null;
  readonly firm: Score | null;
  readonly source: ScoreSource;
  readonly agreement: Agreement;
};

/** The input of law 8. */
export type ScoreSources = {
  readonly coverage: Coverage;
  /** The score of the goals; null where goals have no rules here or a side is unknown. */
  readonly derived: Score | null;
  readonly derivedFirm: Score | null;
  /** The provider's own result. */
  readonly reported: Score | null;
};

/** Whether an incident shows that the timeline is reported from its start. */
export function isTimelineStart({ incident_id }: Incident): boolean {
  return incident_id === INCIDENT.notStarted || incident_id === INCIDENT.firstHalfStarted;
}

/**
 * Law 8, coverage: complete once a snapshot was applied or an incident of the timeline's start is present, partial with
 * any other incident. `known` and `starts` count incidents: all with a body; those of the start, not removed.
 */
export function coverageOf(snapshotAt: number | null, starts: number, known: number): Coverage {
  if (snapshotAt !== null || starts > 0) return 'complete';
  return known > 0 ? 'partial' : 'none';
}

/** Law 8: a complete timeline wins over the provider's result, that over a partial timeline. */
export function decideScore({ coverage, derived, derivedFirm, reported }: ScoreSources): FinalScore {
  const usable = coverage === 'none' ? null : derived;
  if (usable !== null && (coverage === 'complete' || reported === null)) {
    return {
      score: usable,
      firm: derivedFirm,
      source: 'incidents',
      agreement: reported === null ? 'unknown' : sameScore(usable, reported) ? 'agrees' : 'differs',
    };
  }
  if (reported !== null) return { score: reported, firm: reported, source: 'reported', agreement: 'agrees' };
  return { score: null, firm: null, source: 'none', agreement: 'unknown' };
}

/** Whether two scores, known or not, are the same. */
export function sameScore(a: Score | null, b: Score | null): boolean {
  return a === b || (a !== null && b !== null && a.home === b.home && a.away === b.away);
}
