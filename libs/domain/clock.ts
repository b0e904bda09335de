import type { Clock, Event, EventParticipant, Incident, MatchState, ReportedValue } from '#records/types.ts';
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
  return { half, extra_half };
}

/** Maximum difference between a reading and the running clock that is no change, seconds. */
const TICK_TOLERANCE_SECONDS = 2;

/** The periods of a match in their order, by event status. */
const PERIODS: readonly (number | null)[] = [
  STATUS.firstHalf,
  STATUS.secondHalf,
  STATUS.extraTimeFirstHalf,
  STATUS.extraTimeSecondHalf,
];

/** The number of completed periods, by event statuses without play: breaks, and the end after regular or extra time. */
const COMPLETED: ReadonlyMap<number | null, number> = new Map([
  [STATUS.halftime, 1],
  [STATUS.waitingForExtraTime, 2],
  [STATUS.extraTimeHalftime, 3],
  [STATUS.finished, 2],
  [STATUS.finishedAfterExtraTime, 4],
]);

/**
 * Returns the seconds that the match clock shows at `at` (Unix seconds), in the period and of the match; null is unknown. A running clock advances from its reading, a stopped
 * one does not (spec, clock model: `played_time = clock_time + sum of completed periods`). `statusId`: the event's status.
 * In soccer `played_time` is null before the first period, and after an end whose status names no period. In another sport it
 * is the reported one, which advances with the clock; null where none is reported, and in a sport without a clock.
 */
export function clockAt(
  clock: Clock | null,
  statusId: number | null,
  at: number,
  rule: ClockRule = SOCCER_CLOCK,
): Pick<Event, 'clock_time' | 'played_time'> {
  const time = clock === null ? null : shownAt(clock, at);
  const { lengths, played } = rule;
  if (typeof lengths === 'string') return { clock_time: time, played_time: reportedAt(played, clock, at) };
  const before = PERIODS.indexOf(statusId);
  if (before >= 0)
    return { clock_time: time, played_time: time === null ? null : nominalEnd(before, lengths) + time };
  // A shoot-out follows extra time, in some cups the second half.
  const afterPlay = rule.extra_time === false ? 2 : 4;
  const completed = SHOOT_OUT_PHASES.has(statusId) ? afterPlay : COMPLETED.get(statusId);
  return { clock_time: time, played_time: completed === undefined ? null : nominalEnd(completed, lengths) };
}

/** Returns the match time that a provider reported, advanced while the clock runs. */
function reportedAt(played: ClockRule['played'], clock: Clock | null, at: number): number | null {
  if (played === null) return null;
  return played.time + (clock?.status === 'running' ? Math.max(0, at - played.ut) : 0);
}

/** Returns the match time at the nominal end of the first so many periods, seconds. */
function nominalEnd(periods: number, { half, extra_half }: PeriodLengths): number {
  return (Math.min(periods, 2) * half + Math.max(0, periods - 2) * extra_half) * 60;
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
type TimedMatch = Readonly<Pick<MatchState, 'clock' | 'status_id'>> & {
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
  const periods = COMPLETED.get(eventStatusId) ?? PERIODS.indexOf(eventStatusId) + 1;
  const boundary = typeof lengths === 'string' ? 0 : nominalEnd(periods, lengths) / 60;
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
