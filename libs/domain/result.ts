/** The results of matches that are over. */
import { STATUS } from '#contract/soccer.ts';
import type { Score } from '#topics/generated/types.ts';

/** Whether a match has a result. The provider reports an abandoned match as finished, but it has no result until one is awarded. */
export function hasResult(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' && statusId !== STATUS.abandoned;
}

/** Returns the score of a match with a result: of an awarded match the reported score, if there is one. Null is unknown. */
export function resultScore({
  status_id,
  score,
  reported,
}: {
  readonly status_id: number | null;
  readonly score: Score | null;
  readonly reported: Score | null;
}): Score | null {
  return status_id === STATUS.finishedAwardedWin ? (reported ?? score) : score;
}
