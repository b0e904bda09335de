import { PHASE_BOUNDARIES, SOCCER, STATUS } from '#contract/soccer.ts';
import type { Clock } from '#topics/generated/types.ts';
import type { EventRegister } from './event-register.ts';
import { NO_SIDES, READERS, type Sides } from './readings.ts';

/** How far a reading may differ from the running clock before it counts as a change, seconds. */
const TICK_TOLERANCE_SECONDS = 2;

/** The period completed before each period, by event status; none before the first. */
const PERIOD_BEFORE: Readonly<Record<number, number | null>> = {
  [STATUS.firstHalf]: null,
  [STATUS.secondHalf]: STATUS.firstHalf,
  [STATUS.extraTimeFirstHalf]: STATUS.secondHalf,
  [STATUS.extraTimeSecondHalf]: STATUS.extraTimeFirstHalf,
};

/** The period completed before each break: half-time, waiting for extra time, its half-time. */
const PERIOD_BEFORE_BREAK: Readonly<Record<number, number>> = {
  [STATUS.halftime]: STATUS.firstHalf,
  [STATUS.waitingForExtraTime]: STATUS.secondHalf,
  [STATUS.extraTimeHalftime]: STATUS.extraTimeFirstHalf,
};

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
 * outside the periods and the breaks between them, `played_time` is unknown.
 */
export function clockAt(clock: Clock | null, statusId: number | null, at: number): ClockFace {
  const time = clock === null ? null : shownAt(clock, at);
  if (statusId === null) return { clock_time: time, played_time: null };
  const before = PERIOD_BEFORE[statusId];
  if (before !== undefined) {
    return { clock_time: time, played_time: time === null ? null : completed(before) + time };
  }
  const ended = PERIOD_BEFORE_BREAK[statusId];
  return { clock_time: time, played_time: ended === undefined ? null : completed(ended) };
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

/** The event fields that the laws read, except the clock. Null is unknown. */
export type EventFacts = {
  readonly name: string | null;
  readonly sport_id: number | null;
  readonly competition_id: number | null;
  readonly season_id: number | null;
  readonly stage_id: number | null;
  readonly group_id: number | null;
  readonly round_id: number | null;
  readonly start_date: string | null;
  readonly status_id: number | null;
  readonly status_type: string | null;
  readonly relation_status: string | null;
  readonly bet_status: string | null;
  /** active, deleted. */
  readonly item_status: string | null;
  /** JSON text of the provider's flag; null where it is missing or reported as null. */
  readonly verified_result: string | null;
  readonly sides: Sides;
};

/** Whether a field of the event is one of the facts. */
export function isFact(field: string): boolean {
  return (Object.hasOwn(READERS, field) && !field.startsWith('clock_')) || field === 'verified_result';
}

/** Reads the facts of an event. `sides` stays the same object while `participants` stays the same. */
export function readEventFacts(register: EventRegister): EventFacts {
  const verified = register.json('verified_result');
  return {
    name: register.reading('name') ?? null,
    sport_id: register.reading('sport_id') ?? null,
    competition_id: register.reading('competition_id') ?? null,
    season_id: register.reading('season_id') ?? null,
    stage_id: register.reading('stage_id') ?? null,
    group_id: register.reading('group_id') ?? null,
    round_id: register.reading('round_id') ?? null,
    start_date: register.reading('start_date') ?? null,
    status_id: register.reading('status_id') ?? null,
    status_type: register.reading('status_type') ?? null,
    relation_status: register.reading('relation_status') ?? null,
    bet_status: register.reading('bet_status') ?? null,
    item_status: register.reading('item_status') ?? null,
    verified_result: verified === undefined || verified === 'null' ? null : verified,
    sides: register.reading('participants') ?? NO_SIDES,
  };
}

/** The clock's latest reading; null where neither its time nor its status is known. */
export function readClock(register: EventRegister): Clock | null {
  const time = register.reading('clock_time') ?? null;
  const status = register.reading('clock_status') ?? null;
  if (time === null && status === null) return null;
  const ut = register.reportedAt(time === null ? 'clock_status' : 'clock_time');
  return ut === undefined ? null : { time, status, ut };
}

/** Whether we have goal rules for the sport. An unknown sport counts as soccer: incident types belong to one sport. */
export function hasGoalRules(facts: EventFacts): boolean {
  return facts.sport_id === SOCCER || facts.sport_id === null;
}

/** Whether the event has ended: only corrections may follow. */
export function isOver(statusType: string | null): boolean {
  return statusType === 'finished' || statusType === 'cancelled' || statusType === 'deleted';
}
