import { PHASE_BOUNDARIES } from '#contract/soccer.ts';
import type { Clock } from '#topics/generated/types.ts';
import { clockAt } from './clock.ts';

/** A match whose clock runs is quiet once nothing was received of it for this long, seconds. */
export const QUIET_AFTER = 60;

/** Input of the minute: `ut` is the provider's time, Unix seconds; `received_at` Unix milliseconds. */
export type TimedMatch = {
  readonly clock: Clock | null;
  readonly status_id: number | null;
  readonly ut: number;
  readonly received_at: number;
  /** Whether extra time was played; absent or null where unknown. */
  readonly extra_time?: boolean | null;
};

/**
 * The minute as shown, e.g. `23` or `45+2` (spec, rule 7): rounded up when seconds are over, and above the boundary of
 * its phase shown as the boundary plus the excess. `eventTime` in seconds of match time; `eventStatusId` the phase its
 * clock refers to, null where unknown: then there is no boundary.
 */
export function renderMinute(eventTime: number, eventStatusId: number | null): string {
  const minute = Math.ceil(eventTime / 60);
  const boundary = eventStatusId === null ? undefined : PHASE_BOUNDARIES.get(eventStatusId);
  return boundary !== undefined && minute > boundary ? `${boundary}+${minute - boundary}` : String(minute);
}

/**
 * The minute that is played at `now` (Unix seconds), e.g. `67`; null before the first period. The provider's clock counts
 * from the receipt of its last message, so that a provider's wrong clock shows no wrong minute. The minute of a quiet
 * match stands still: whether its clock still runs is unknown.
 */
export function playedMinute(match: TimedMatch, now: number): string | null {
  const { clock, status_id, ut, received_at, extra_time } = match;
  const since = Math.min(QUIET_AFTER, Math.max(0, now - received_at / 1000));
  const { played_time } = clockAt(clock, status_id, Math.max(clock?.ut ?? 0, ut) + since, extra_time);
  return played_time === null ? null : renderMinute(played_time, status_id);
}
