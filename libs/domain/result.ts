import { STATUS } from '#soccer/soccer.ts';

/** Whether a match has a result. The provider reports an abandoned match as finished, but it has no result until one is awarded. */
export function hasResult(statusId: number | null, statusType: string | null): boolean {
  return statusType === 'finished' && statusId !== STATUS.abandoned;
}
