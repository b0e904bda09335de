/** What a match that is over counts as. */
import { STATUS } from '#contract/soccer.ts';
import type { Score } from '#topics/generated/types.ts';

/** Whether a match has a result. The provider reports an abandoned one as finished; it has a result only once one is awarded. */
export function hasResult(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' && statusId !== STATUS.abandoned;
}

/** The score that counts of a match with a result: of an awarded one the reported, whatever was played. Null is unknown. */
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
