import { RESULT, SOCCER } from '#contract/soccer.ts';
import { STATUSES } from '#contract/statuses.ts';
import type { Clock } from '#topics/generated/types.ts';
import type { EventRegister } from './event-register.ts';
import { count, int, list, NO_SIDES, object, READERS, type Sides } from './readings.ts';

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
  /** `deleted` where the event is; where the provider leaves it out, that of its status. */
  readonly status_type: string | null;
  readonly relation_status: string | null;
  readonly bet_status: string | null;
  /** JSON text of the provider's flag; null where it is missing or reported as null. */
  readonly verified_result: string | null;
  readonly sides: Sides;
};

const FACTS: ReadonlySet<string> = new Set([
  ...Object.keys(READERS).filter((field) => !field.startsWith('clock_')),
  'verified_result',
]);

/** Whether a field of the event is one of the facts. */
export function isFact(field: string): boolean {
  return FACTS.has(field);
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
    status_type: readStatusType(register),
    relation_status: register.reading('relation_status') ?? null,
    bet_status: register.reading('bet_status') ?? null,
    verified_result: verified === undefined || verified === 'null' ? null : verified,
    sides: register.reading('participants') ?? NO_SIDES,
  };
}

/** `status_type` of the facts. */
export function readStatusType(register: EventRegister): string | null {
  if (isDeleted(register)) return 'deleted';
  const reported = register.reading('status_type') ?? null;
  const status = register.reading('status_id') ?? null;
  return reported ?? (status === null ? null : (STATUSES.get(status)?.type ?? null));
}

/**
 * Whether the provider deleted the event, in one of three ways: by its status type, by its item status, or by a message with the
 * `action`, which no other message has; a later report of its status restores it.
 */
function isDeleted(register: EventRegister): boolean {
  if (register.reading('status_type') === 'deleted' || register.reading('item_status') === 'deleted')
    return true;
  if (register.reading('action') !== 'delete') return false;
  return (register.reportedAt('action') ?? 0) >= (register.reportedAt('status_id') ?? 0);
}

/** Whether the facts may change without a new value: by the time of a delete, or of a report after it. */
export function mayBeDeleted(register: EventRegister): boolean {
  return register.json('action') !== undefined;
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
