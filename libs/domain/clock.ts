import type { Clock, EventParticipant, Incident, ReportedValue } from '#records/types.ts';
import { RESULT, SHOOT_OUT_PHASES, SOCCER, STATUS } from '#soccer/soccer.ts';
import { count } from './values.ts';

/** The nominal lengths of periods, minutes. */
export type PeriodLengths = { readonly half: number; readonly extra_half: number };

/** The periods of a sport: soccer's lengths; `unknown` in another sport; `no_clock` in a sport without a clock, which has no minutes. */
export type PeriodRule = PeriodLengths | 'unknown' | 'no_clock';

/** How the clock of a match is read. */
export type ClockRule = {
  readonly lengths: PeriodRule;
  /** Whether extra time was played; null where unknown. */
  readonly extra_time: boolean | null;
  /** The match time that the provider reported last, in another sport with a clock, seconds; null where none is reported. */
  readonly played: { readonly time: number; readonly ut: number } | null;
};

export const SOCCER_LENGTHS: PeriodLengths = { half: 45, extra_half: 15 };
export const SOCCER_CLOCK: ClockRule = { lengths: SOCCER_LENGTHS, extra_time: null, played: null };

/** Ids of the details of an event that say how long its periods are. */
const DETAIL = { periodLength: 16, periods: 17, extraPeriodLength: 50 } as const;

const EXTRA_TIME_RESULTS: ReadonlySet<number | null> = new Set([
  RESULT.extraTime,
  RESULT.extraTimeFirstHalf,
  RESULT.extraTimeSecondHalf,
]);

/** The sports of the provider's published catalogue that have a clock (`has_timer`). A later one has the clock that its events report. */
const SPORTS_WITH_CLOCK: ReadonlySet<number> = new Set([1, 3, SOCCER, 6, 8, 16]);
const LAST_PUBLISHED_SPORT = 78;

/** The longest period, minutes: a longer one is no length of a half. */
const LONGEST = 60;

/** Returns the clock rule of a match. `sportId`: null counts as soccer. `played`: the reported match time, null where outdated. */
export function clockRule(
  sportId: number | null,
  reported: {
    readonly details: readonly ReportedValue[];
    readonly participants: readonly EventParticipant[];
    readonly played: ClockRule['played'];
  },
): ClockRule {
  const lengths = periodLengths(sportId, reported.details);
  if (typeof lengths === 'string')
    return { lengths, extra_time: null, played: lengths === 'unknown' ? reported.played : null };
  return {
    lengths,
    extra_time: extraTimePlayed(reported.participants),
    played: null,
  };
}

/** Whether extra time was played: without it the provider reports its results empty. Null when it reports none of them. */
export function extraTimePlayed(participants: readonly EventParticipant[]): boolean | null {
  const values = participants
    .flatMap(({ results }) => results)
    .filter(({ id }) => EXTRA_TIME_RESULTS.has(id))
    .map(({ value }) => count(value));
  return values.length === 0 ? null : values.some((value) => value !== null);
}

/** Returns the lengths of a half and of one of extra time from an event's `details`. `sportId`: null counts as soccer. */
export function periodLengths(sportId: number | null, details: readonly ReportedValue[]): PeriodRule {
  if (sportId !== null && sportId !== SOCCER)
    return sportId > LAST_PUBLISHED_SPORT || SPORTS_WITH_CLOCK.has(sportId) ? 'unknown' : 'no_clock';
  const values = new Map(details.map(({ id, value }) => [id, count(value)]));
  const own = (id: number): number | null => {
    const length = values.get(id) ?? 0;
    return length >= 1 && length <= LONGEST ? length : null;
  };
  const isTwoHalves = (values.get(DETAIL.periods) ?? 2) === 2;
  const half = (isTwoHalves ? own(DETAIL.periodLength) : null) ?? SOCCER_LENGTHS.half;
  const extra_half = own(DETAIL.extraPeriodLength) ?? SOCCER_LENGTHS.extra_half;
  const isUsual = half === SOCCER_LENGTHS.half && extra_half === SOCCER_LENGTHS.extra_half;
  return isUsual ? SOCCER_LENGTHS : { half, extra_half };
}

/** Maximum difference between a reading and the running clock that is no change, seconds. */
const TICK_TOLERANCE_SECONDS = 2;

/** The period before each period, by event status; null before the first. */
const PERIOD_BEFORE: ReadonlyMap<number | null, number | null> = new Map([
  [STATUS.firstHalf, null],
  [STATUS.secondHalf, STATUS.firstHalf],
  [STATUS.extraTimeFirstHalf, STATUS.secondHalf],
  [STATUS.extraTimeSecondHalf, STATUS.extraTimeFirstHalf],
]);

/** The last completed period, by event statuses without play: breaks, and the end after regular or extra time. */
const PERIOD_COMPLETED: ReadonlyMap<number | null, number> = new Map([
  [STATUS.halftime, STATUS.firstHalf],
  [STATUS.waitingForExtraTime, STATUS.secondHalf],
  [STATUS.extraTimeHalftime, STATUS.extraTimeFirstHalf],
  [STATUS.finished, STATUS.secondHalf],
  [STATUS.finishedAfterExtraTime, STATUS.extraTimeSecondHalf],
]);

const PERIODS_UNTIL: ReadonlyMap<number | null, readonly [halves: number, extraHalves: number]> = new Map([
  [STATUS.firstHalf, [1, 0]],
  [STATUS.secondHalf, [2, 0]],
  [STATUS.extraTimeFirstHalf, [2, 1]],
  [STATUS.extraTimeSecondHalf, [2, 2]],
]);

/** The times that a match clock shows. Seconds; null is unknown. */
type ClockFace = {
  /** Time in the current period. */
  readonly clock_time: number | null;
  /** Cumulative match time. */
  readonly played_time: number | null;
};

/**
 * Returns the times that the match clock shows at `at` (Unix seconds). A running clock advances from its reading, a stopped
 * one does not (spec, clock model: `played_time = clock_time + sum of completed periods`). `statusId`: the event's status.
 * In soccer `played_time` is null before the first period, and after an end whose status names no period. In another sport it
 * is the reported one, which advances with the clock; null where none is reported, and in a sport without a clock.
 */
export function clockAt(
  clock: Clock | null,
  statusId: number | null,
  at: number,
  rule: ClockRule = SOCCER_CLOCK,
): ClockFace {
  const time = clock === null ? null : shownAt(clock, at);
  const { lengths, played } = rule;
  if (typeof lengths === 'string') return { clock_time: time, played_time: reportedAt(played, clock, at) };
  const before = PERIOD_BEFORE.get(statusId);
  if (before !== undefined) {
    return { clock_time: time, played_time: time === null ? null : nominalEnd(before, lengths) + time };
  }
  // A shoot-out follows extra time, in some cups the second half.
  const last = SHOOT_OUT_PHASES.has(statusId)
    ? rule.extra_time === false
      ? STATUS.secondHalf
      : STATUS.extraTimeSecondHalf
    : PERIOD_COMPLETED.get(statusId);
  return { clock_time: time, played_time: last === undefined ? null : nominalEnd(last, lengths) };
}

/** Returns the match time that a provider reported, advanced while the clock runs. */
function reportedAt(played: ClockRule['played'], clock: Clock | null, at: number): number | null {
  if (played === null) return null;
  return played.time + (clock?.status === 'running' ? Math.max(0, at - played.ut) : 0);
}

/** Returns the match time at the nominal end of a period, seconds; 0 for no period. */
function nominalEnd(period: number | null, { half, extra_half }: PeriodLengths): number {
  const [halves, extraHalves] = PERIODS_UNTIL.get(period) ?? [0, 0];
  return (halves * half + extraHalves * extra_half) * 60;
}

/** Whether a reading changes the clock: it has another status, or a time that the running clock does not show. */
export function isClockChange(before: Clock | null, after: Clock | null): boolean {
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

/** Time without a message after which a match whose clock runs is quiet, seconds. */
export const QUIET_AFTER_SECONDS = 60;

/** The fields of a match that `playedMinute` reads. `ut`: the provider's time, Unix seconds; `received_at`: Unix milliseconds. */
type TimedMatch = {
  readonly clock: Clock | null;
  readonly status_id: number | null;
  readonly ut: number;
  readonly received_at: number;
  readonly clock_rule: ClockRule;
};

/** Returns the minute as shown, `23` or `45+2` (spec, rule 7). `eventStatusId`: its phase; null, as in other sports: no boundary. */
export function renderMinute(
  eventTime: number,
  eventStatusId: number | null,
  lengths: PeriodRule = SOCCER_LENGTHS,
): string {
  const minute = Math.ceil(eventTime / 60);
  const period = PERIOD_COMPLETED.get(eventStatusId) ?? eventStatusId;
  const boundary = typeof lengths === 'string' ? 0 : nominalEnd(period, lengths) / 60;
  return boundary > 0 && minute > boundary ? `${boundary}+${minute - boundary}` : String(minute);
}

/** Returns the minute of an incident as `renderMinute`; null when its time is unknown, and in a sport without a clock. */
export function incidentMinute(
  { event_time, event_status_id }: Pick<Incident, 'event_time' | 'event_status_id'>,
  lengths: PeriodRule,
): string | null {
  return event_time === null || lengths === 'no_clock'
    ? null
    : renderMinute(event_time, event_status_id, lengths);
}

/**
 * Returns the minute in play at `now` (Unix seconds), e.g. `67`; null before the first period, and in a sport that reports no
 * match time. The match clock advances from the receipt of the last message, so that a wrong clock of the provider shows no
 * wrong minute. The minute of a quiet match stands still: nobody knows whether its clock still runs.
 */
export function playedMinute(match: TimedMatch, now: number): string | null {
  const { clock, status_id, ut, received_at, clock_rule } = match;
  const since = Math.min(QUIET_AFTER_SECONDS, Math.max(0, now - received_at / 1000));
  const { played_time } = clockAt(clock, status_id, Math.max(clock?.ut ?? 0, ut) + since, clock_rule);
  return played_time === null ? null : renderMinute(played_time, status_id, clock_rule.lengths);
}
