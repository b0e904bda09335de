import { RESULT } from '#contract/soccer.ts';
import { count, int, list, object } from './values.ts';

const EXTRA_TIME_RESULTS: ReadonlySet<number | null> = new Set([
  RESULT.extraTime,
  RESULT.extraTimeFirstHalf,
  RESULT.extraTimeSecondHalf,
]);

/**
 * Whether extra time was played, by the results of the event's `participants`: the provider leaves those of extra time
 * empty where there was none. Null where it reports none of them.
 */
export function extraTimePlayed(participants: unknown): boolean | null {
  const values = list(participants)
    .flatMap((one) => list(object(one)?.results))
    .map(object)
    .filter((result) => EXTRA_TIME_RESULTS.has(int(result?.id)))
    .map((result) => count(result?.value));
  return values.length === 0 ? null : values.some((value) => value !== null);
}
