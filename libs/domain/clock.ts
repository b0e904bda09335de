import { PHASE_BOUNDARIES, STATUS } from '#contract/soccer.ts';
import type { Clock } from '#topics/generated/types.ts';

/** How far a reading may differ from the running clock before it counts as a change, seconds. */
const TICK_TOLERANCE_SECONDS = 2;

/** The period completed before each period, by event status; none before the first. */
const PERIOD_BEFORE: Readonly<Record<number, number | null>> = {
  [STATUS.firstHalf]: null,
  [STATUS.secondHalf]: STATUS.firstHalf,
  [STATUS.extraTimeFirstHalf]: STATUS.secondHalf,
  [STATUS.extraTimeSecondHalf]: STATUS.extraTimeFirstHalf,
};

/** The last period completed in each status in which no period is played: breaks, and the end in regular or extra time. */
const PERIOD_COMPLETED: Readonly<Record<number, number>> = {
  [STATUS.halftime]: STATUS.firstHalf,
  [STATUS.waitingForExtraTime]: STATUS.secondHalf,
  [STATUS.extraTimeHalftime]: STATUS.extraTimeFirstHalf,
  [STATUS.finished]: STATUS.secondHalf,
  [STATUS.finishedAfterExtraTime]: STATUS.extraTimeSecondHalf,
};

/** The statuses of a shoot-out: it follows extra time, in some cups the second half. */
const SHOOT_OUT: ReadonlySet<number> = new Set([
  STATUS.waitingForPenalty,
  STATUS.penalties,
  STATUS.shootOut,
  STATUS.finishedAfterPenalties,
]);

/** What a clock shows. Seconds; null is unknown. */
export type ClockFace = {
  /** Time in the current period. */
  readonly clock_time: number | null;
  /** Cumulative match time. */
  readonly played_time: number | null;
};

/**
 * What the match clock shows at `at` (Unix seconds): a running clock has gone on since its reading, a stopped one has
 * not (spec, clock model: `played_time = clock_time + sum of completed periods`). `statusId` is the event's status;
 * before the first period, and after an end that says nothing of the periods, `played_time` is unknown. `extraTime`:
 * see `extraTimePlayed`.
 */
export function clockAt(
  clock: Clock | null,
  statusId: number | null,
  at: number,
  extraTime: boolean | null = null,
): ClockFace {
  const time = clock === null ? null : shownAt(clock, at);
  if (statusId === null) return { clock_time: time, played_time: null };
  const before = PERIOD_BEFORE[statusId];
  if (before !== undefined) {
    return { clock_time: time, played_time: time === null ? null : completed(before) + time };
  }
  const last = SHOOT_OUT.has(statusId)
    ? extraTime === false
      ? STATUS.secondHalf
      : STATUS.extraTimeSecondHalf
    : PERIOD_COMPLETED[statusId];
  return { clock_time: time, played_time: last === undefined ? null : completed(last) };
}

/** Seconds of match time when a period ends, each at its nominal length. */
function completed(period: number | null): number {
  return period === null ? 0 : (PHASE_BOUNDARIES.get(period) ?? 0) * 60;
}

/** Whether a reading is a change: another status, or a time other than the running clock shows. */
export function isClockNews(before: Clock | null, after: Clock | null): boolean {
  if (before === null || after === null) return before !== after;
  if (before.status !== after.status) return true;
  const expected = shownAt(before, after.ut);
  if (expected === null || after.time === null) return expected !== after.time;
  return Math.abs(after.time - expected) > TICK_TOLERANCE_SECONDS;
}

function shownAt(clock: Clock, at: number): number | null {
  if (clock.time === null || clock.status !== 'running') return clock.time;
  return clock.time + Math.max(0, at - clock.ut);
}

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
