/**
 * Reads the fields of an event. An unreadable value and a number outside the range of the topic's type are unknown (null):
 * never a guess, never an error.
 */
import { RESULT, SOCCER } from '#contract/soccer.ts';
import { STATUSES } from '#contract/statuses.ts';
import type {
  Clock,
  MatchResult,
  MatchState,
  Participant,
  ResultTeam,
  Score,
} from '#topics/generated/types.ts';
import type { EventRegister } from './event-register.ts';

/** The maximum of a field of Avro type `int`. */
const INT_MAX = 2 ** 31 - 1;

const DIGITS = /^-?\d{1,16}$/;

/** Returns a safe integer, given as a number or as text; null for anything else. */
export function long(value: unknown): number | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  // `+ 0` turns -0 into 0: both are the same value on a topic.
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : null;
}

/** Returns a 32-bit integer, given as a number or as text; null for anything else. */
export function int(value: unknown): number | null {
  const number = long(value);
  return number !== null && number <= INT_MAX && number >= -INT_MAX ? number : null;
}

/** Returns a count, such as a number of goals: a 32-bit integer that is not negative; null for anything else. */
export function count(value: unknown): number | null {
  const number = int(value);
  return number !== null && number >= 0 ? number : null;
}

/** Returns a text unchanged; null for anything else. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns an object, to read its fields; null for anything else, arrays included. */
export function object(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Returns a list; an empty one for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Both sides of an event and the score the provider reports for them. */
export type Sides = Readonly<Pick<MatchState, 'home' | 'away' | 'reported'>> & {
  /** Read by tables only. The scores are the provider's results 4 and 5; null unless both sides have the result. */
  readonly table: Readonly<Pick<MatchResult, 'home' | 'away' | 'first_half' | 'second_half'>>;
};

/** Facts that are named like the field they are read from. */
const FACTS_BY_FIELD = [
  'name',
  'sport_id',
  'competition_id',
  'season_id',
  'stage_id',
  'group_id',
  'round_id',
  'start_date',
  'status_id',
  'status_type',
  'relation_status',
  'bet_status',
  'verified_result',
] as const;

/**
 * The event fields that the laws read, except the clock. Null is unknown. `status_type` is `deleted` for a deleted event; when
 * the provider leaves it out, it is the type of the status.
 */
export type EventFacts = Readonly<
  Pick<MatchState & Pick<MatchResult, 'round_id'>, (typeof FACTS_BY_FIELD)[number]>
> & {
  /** The canonical JSON that `sides` are read from; undefined if it was never reported. */
  readonly participants: string | undefined;
  readonly sides: Sides;
};

const FACTS: ReadonlySet<string> = new Set([...FACTS_BY_FIELD, 'participants', 'item_status', 'action']);

/** Whether the facts are read from a field of the event. */
export function isFact(field: string): boolean {
  return FACTS.has(field);
}

/** Reads the facts of an event. Reuses the `sides` of `previous` while `participants` is the same. */
export function readEventFacts(register: EventRegister, previous?: EventFacts): EventFacts {
  const verified = register.json('verified_result');
  const participants = register.json('participants');
  const isSame = previous !== undefined && previous.participants === participants;
  return {
    name: text(register.value('name')),
    sport_id: int(register.value('sport_id')),
    competition_id: long(register.value('competition_id')),
    season_id: long(register.value('season_id')),
    stage_id: long(register.value('stage_id')),
    group_id: long(register.value('group_id')),
    round_id: long(register.value('round_id')),
    start_date: text(register.value('start_date')),
    status_id: int(register.value('status_id')),
    relation_status: text(register.value('relation_status')),
    bet_status: text(register.value('bet_status')),
    status_type: readStatusType(register),
    verified_result: verified === undefined || verified === 'null' ? null : verified,
    participants,
    sides: isSame ? previous.sides : readSides(register.value('participants')),
  };
}

/** Returns the `status_type` of the facts. */
export function readStatusType(register: EventRegister): string | null {
  if (isDeleted(register)) return 'deleted';
  const status = int(register.value('status_id'));
  const reported = text(register.value('status_type'));
  return reported ?? (status === null ? null : (STATUSES.get(status)?.type ?? null));
}

/**
 * Whether the provider deleted the event: by its status type, by its item status, or by a message with the action `delete`. No
 * other message has an `action` here. A later report of the status restores an event that an action deleted.
 */
function isDeleted(register: EventRegister): boolean {
  if (register.value('status_type') === 'deleted' || register.value('item_status') === 'deleted') return true;
  if (register.value('action') !== 'delete') return false;
  return (register.reportedAt('action') ?? 0) >= (register.reportedAt('status_id') ?? 0);
}

/** Whether the facts may change without a new value, as the time of a delete or of a report after it may be new. */
export function mayBeDeleted(register: EventRegister): boolean {
  return register.json('action') !== undefined;
}

/** Returns the clock's latest reading; null when neither its time nor its status is known. */
export function readClock(register: EventRegister): Clock | null {
  const time = int(register.value('clock_time'));
  const status = text(register.value('clock_status'));
  if (time === null && status === null) return null;
  const ut = register.reportedAt(time === null ? 'clock_status' : 'clock_time');
  return ut === undefined ? null : { time, status, ut };
}

/** Whether the laws of goals apply to the sport. An unknown sport counts as soccer: incident types belong to one sport. */
export function hasGoalRules({ sport_id }: Pick<EventFacts, 'sport_id'>): boolean {
  return (sport_id ?? SOCCER) === SOCCER;
}

const EXTRA_TIME_RESULTS: ReadonlySet<number | null> = new Set([
  RESULT.extraTime,
  RESULT.extraTimeFirstHalf,
  RESULT.extraTimeSecondHalf,
]);

/**
 * Whether extra time was played, by the results in the event's `participants`: without extra time the provider reports its
 * results empty. Null when it reports none of these results.
 */
export function extraTimePlayed(participants: unknown): boolean | null {
  const values = list(participants)
    .flatMap((one) => list(object(one)?.results))
    .map(object)
    .filter((result) => EXTRA_TIME_RESULTS.has(int(result?.id)))
    .map((result) => count(result?.value));
  return values.length === 0 ? null : values.some((value) => value !== null);
}

/** Reads both sides from the event's `participants` value: counter 1 is home, 2 is away. */
export function readSides(value: unknown): Sides {
  const records = list(value).map(object);
  const home = records.find((record) => isSide(record, 1));
  const away = records.find((record) => isSide(record, 2));
  const scoreOf = (result: number): Score | null => {
    const [homeGoals, awayGoals] = [goalsOf(home?.results, result), goalsOf(away?.results, result)];
    return homeGoals === null || awayGoals === null ? null : { home: homeGoals, away: awayGoals };
  };
  return {
    home: readParticipant(home),
    away: readParticipant(away),
    reported: scoreOf(RESULT.score),
    table: {
      home: readTeam(home),
      away: readTeam(away),
      first_half: scoreOf(RESULT.firstHalf),
      second_half: scoreOf(RESULT.secondHalf),
    },
  };
}

type JsonRecord = ReturnType<typeof object>;

function isSide(record: JsonRecord, counter: number): boolean {
  return record !== null && int(record.counter) === counter && long(record.id) !== null;
}

function readParticipant(record: JsonRecord | undefined): Participant | null {
  const id = long(record?.id);
  if (!record || id === null) return null;
  return { id, name: text(record.name), short_name: text(record.short_name), acronym: text(record.acronym) };
}

function readTeam(record: JsonRecord | undefined): ResultTeam | null {
  const id = long(record?.id);
  if (!record || id === null) return null;
  const { name, acronym, area_id, area_name } = record;
  return {
    id,
    name: text(name),
    acronym: text(acronym),
    area_id: long(area_id),
    area_name: text(area_name),
  };
}

function goalsOf(results: unknown, id: number): number | null {
  const found = list(results).find((result) => int(object(result)?.id) === id);
  return count(object(found)?.value);
}
