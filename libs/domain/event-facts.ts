/** Reads the facts of an event from its register. */

import type { Clock, MatchResult, MatchState, Participant, ResultTeam, Score } from '#records/types.ts';
import { RESULT } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import { type PeriodRule, periodLengths } from './clock-rule.ts';
import type { EventRegister } from './event-register.ts';
import type { PartField } from './event-sides.ts';
import { comparePositions, type MessagePosition } from './message-key.ts';
import { count, int, list, long, object, text } from './values.ts';

/** Both sides of an event and the score the provider reports for them. */
export type Sides = Readonly<Pick<MatchState, 'home' | 'away' | 'reported'>> & {
  /** The provider's result 7: the shoot-out; null unless both sides have it. */
  readonly reportedShootOut: Score | null;
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
  /** The fields that `sides` are read from: of home and away their own fields and their results. */
  readonly sideFields: readonly (PartField | undefined)[];
  readonly sides: Sides;
  /** The `details` as reported, canonical JSON. */
  readonly details: string | undefined;
  /** The lengths of the periods, from `details`. */
  readonly lengths: PeriodRule;
};

const FACTS: ReadonlySet<string> = new Set([
  ...FACTS_BY_FIELD,
  'participants',
  'details',
  'item_status',
  'action',
]);

/** Whether the facts are read from a field of the event. */
export function isFact(field: string): boolean {
  return FACTS.has(field);
}

/** Reads the facts of an event. Reuses the `sides` of `previous` while their fields are the same. */
export function readEventFacts(register: EventRegister, previous?: EventFacts): EventFacts {
  const verified = register.json('verified_result');
  const sideFields = fieldsOfSides(register);
  const sport_id = int(register.value('sport_id'));
  const details = register.json('details');
  const hasSameLengths =
    previous !== undefined && previous.details === details && previous.sport_id === sport_id;
  return {
    name: text(register.value('name')),
    sport_id,
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
    sideFields,
    sides: previous?.sideFields.every((field, at) => field?.json === sideFields[at]?.json)
      ? previous.sides
      : sidesOf(sideFields),
    details,
    lengths: hasSameLengths
      ? previous.lengths
      : periodLengths(sport_id, details === undefined ? undefined : JSON.parse(details)),
  };
}

/** Returns the message that last reported a status of the event; null if none did. */
export function statusReport(register: EventRegister): MessagePosition | null {
  const id = register.report('status_id');
  const type = register.report('status_type');
  if (id === undefined || type === undefined) return id ?? type ?? null;
  return comparePositions(id, type) < 0 ? type : id;
}

/** Law 2: whether an event that was reported as finished is now reported as scheduled. */
export function hasGoneBack(
  register: EventRegister,
  { status_type }: Pick<EventFacts, 'status_type'>,
): boolean {
  const { firstFinished } = register.course;
  if (status_type !== 'scheduled' || firstFinished === null) return false;
  const status = statusReport(register);
  return status !== null && comparePositions(firstFinished, status) < 0;
}

/** Law 9: returns the latest report that the match is scheduled, after one that it was in play or finished; null without one. */
export function newBeginning({ course }: EventRegister): MessagePosition | null {
  const { firstStarted, lastScheduled } = course;
  if (firstStarted === null || lastScheduled === null) return null;
  return comparePositions(firstStarted, lastScheduled) < 0 ? lastScheduled : null;
}

const YES: ReadonlySet<unknown> = new Set([true, 1, 'yes', 'true', '1']);

/** Whether the provider has verified the result. The contract does not show the flag's type. */
export function isVerified({ verified_result }: Pick<EventFacts, 'verified_result'>): boolean {
  if (verified_result === null) return false;
  const value: unknown = JSON.parse(verified_result);
  return YES.has(typeof value === 'string' ? value.toLowerCase() : value);
}

/** Returns the `status_type` of the facts. */
export function readStatusType(register: EventRegister): string | null {
  if (isDeleted(register)) return 'deleted';
  const status = int(register.value('status_id'));
  const reported = text(register.value('status_type'));
  return reported ?? (status === null ? null : (STATUSES.get(status)?.type ?? null));
}

/**
 * Whether the provider deleted the event other than by its status type: by its item status, or by a message with the action
 * `delete`. No other message has an `action` here. A later report of the status restores an event that an action deleted.
 */
function isDeleted(register: EventRegister): boolean {
  if (register.value('item_status') === 'deleted') return true;
  if (register.value('action') !== 'delete') return false;
  return (register.report('action')?.ut ?? 0) >= (register.report('status_id')?.ut ?? 0);
}

/** The action of a deleted event, as JSON. */
const DELETE = '"delete"';

/** Whether the facts may change without a new value, as the time of a delete or of a report after it may be new. */
export function mayBeDeleted(register: EventRegister): boolean {
  return register.json('action') === DELETE;
}

/** Returns the clock's latest reading; null when neither its time nor its status is known. */
export function readClock(register: EventRegister): Clock | null {
  const time = int(register.value('clock_time'));
  const status = text(register.value('clock_status'));
  if (time === null && status === null) return null;
  const report = register.report(time === null ? 'clock_status' : 'clock_time');
  return report === undefined ? null : { time, status, ut: report.ut };
}

/** Returns the fields of both sides: counter 1 is home, 2 is away. */
function fieldsOfSides(register: EventRegister): readonly (PartField | undefined)[] {
  return [1, 2].flatMap((counter) => [register.side(counter), register.results(counter)?.field]);
}

/** Reads both sides of an event. */
export function readSides(register: EventRegister): Sides {
  return sidesOf(fieldsOfSides(register));
}

/** Returns when the results of both sides were last reported, Unix seconds; null while those of a side are unknown. */
export function resultsReportedAt(register: EventRegister): number | null {
  const [home, away] = [register.results(1), register.results(2)];
  return home === undefined || away === undefined ? null : Math.min(home.report.ut, away.report.ut);
}

function sidesOf(fields: readonly (PartField | undefined)[]): Sides {
  const [home, homeResults, away, awayResults] = fields.map((field) =>
    field === undefined ? undefined : JSON.parse(field.json),
  );
  const scoreOf = (result: number): Score | null => {
    const [homeGoals, awayGoals] = [goalsOf(homeResults, result), goalsOf(awayResults, result)];
    return homeGoals === null || awayGoals === null ? null : { home: homeGoals, away: awayGoals };
  };
  return {
    home: readParticipant(home),
    away: readParticipant(away),
    reported: scoreOf(RESULT.score),
    reportedShootOut: scoreOf(RESULT.shootOut),
    table: {
      home: readTeam(home),
      away: readTeam(away),
      first_half: scoreOf(RESULT.firstHalf),
      second_half: scoreOf(RESULT.secondHalf),
    },
  };
}

/** A side's own fields. The register keeps none without an id. */
type SideRecord = Readonly<Record<string, unknown>>;

function readParticipant(record: SideRecord | undefined): Participant | null {
  const id = long(record?.id);
  if (record === undefined || id === null) return null;
  return { id, name: text(record.name), short_name: text(record.short_name), acronym: text(record.acronym) };
}

function readTeam(record: SideRecord | undefined): ResultTeam | null {
  const id = long(record?.id);
  if (record === undefined || id === null) return null;
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
