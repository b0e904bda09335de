/** Reads the facts of an event from its register. */

import type {
  Clock,
  EventField,
  EventParticipant,
  MatchResult,
  MatchState,
  Participant,
  ReportedValue,
  ResultTeam,
  Score,
} from '#records/types.ts';
import { RESULT } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import { type ClockRule, extraTimePlayed, type PeriodRule, periodLengths } from './clock.ts';
import { type ReportedSide, sameValue } from './event.ts';
import type { EventRegister } from './event-register.ts';
import { comparePositions, type MessagePosition } from './message-key.ts';
import { count } from './values.ts';

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

type FieldFacts = Readonly<Pick<MatchState & Pick<MatchResult, 'round_id'>, (typeof FACTS_BY_FIELD)[number]>>;

/** The event fields that the laws read, without the clock; null is unknown. `status_type`: that of the status where none is reported. */
export type EventFacts = FieldFacts & {
  readonly sides: Sides;
  readonly lengths: PeriodRule;
};

const FACTS: ReadonlySet<string> = new Set([
  ...FACTS_BY_FIELD,
  'participants',
  'details',
  'item_status',
  'action',
]);

/** Returns the facts of an event after a change of these fields; reuses `previous` while none of them is a fact. */
export function deriveFacts(
  register: EventRegister,
  previous: EventFacts,
  fields: readonly string[],
): EventFacts {
  // After a delete, the times of reports decide `status_type`, without a new value.
  const mayDiffer = fields.some((name) => FACTS.has(name)) || register.value('action') === 'delete';
  return mayDiffer ? readEventFacts(register, previous) : previous;
}

/** Reads the facts of an event. Reuses the `sides` of `previous` while they are equal. */
export function readEventFacts(register: EventRegister, previous?: EventFacts): EventFacts {
  const sides = readSides(register);
  const facts = Object.fromEntries(
    FACTS_BY_FIELD.map((name) => [name, register.value(name) ?? null]),
  ) as FieldFacts;
  return {
    ...facts,
    status_type: readStatusType(register),
    sides: previous !== undefined && sameValue(previous.sides, sides) ? previous.sides : sides,
    lengths: periodLengths(facts.sport_id, register.value('details') ?? []),
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
  const { first_finished } = register.course;
  if (status_type !== 'scheduled' || first_finished === null) return false;
  const status = statusReport(register);
  return status !== null && comparePositions(first_finished, status) < 0;
}

/** Law 9: returns the latest report that the match is scheduled, after one that it was in play or finished; null without one. */
export function newBeginning({ course }: EventRegister): MessagePosition | null {
  const { first_started, last_scheduled } = course;
  if (first_started === null || last_scheduled === null) return null;
  return comparePositions(first_started, last_scheduled) < 0 ? last_scheduled : null;
}

/** Returns the `status_type` of the facts. */
export function readStatusType(register: EventRegister): string | null {
  if (isDeleted(register)) return 'deleted';
  return register.value('status_type') ?? STATUSES.get(register.value('status_id') ?? null)?.type ?? null;
}

/** Whether the provider deleted the event by its item status or a message; a later report of the status restores the latter. */
function isDeleted(register: EventRegister): boolean {
  if (register.value('item_status') === 'deleted') return true;
  if (register.value('action') !== 'delete') return false;
  return (register.reportedAt('action') ?? 0) >= (register.reportedAt('status_id') ?? 0);
}

/** Returns the clock's latest reading; null when neither its time nor its status is known. */
export function readClock(register: EventRegister): Clock | null {
  const time = register.value('clock_time') ?? null;
  const status = register.value('clock_status') ?? null;
  if (time === null && status === null) return null;
  return { time, status, ut: register.reportedAt(time === null ? 'clock_status' : 'clock_time') as number };
}

/** Returns when the results of both sides were last reported, Unix seconds; null while those of a side are unknown. */
export function resultsReportedAt(register: EventRegister): number | null {
  const [home, away] = [register.results(1), register.results(2)];
  return home === undefined || away === undefined ? null : Math.min(home.report.ut, away.report.ut);
}

/** Reads both sides of an event: counter 1 is home, 2 is away. */
export function readSides(register: EventRegister): Sides {
  const [home, away] = [register.side(1), register.side(2)];
  const results = [register.results(1)?.value, register.results(2)?.value];
  return {
    home: readParticipant(home),
    away: readParticipant(away),
    reported: scoreOf(results, RESULT.score),
    reportedShootOut: scoreOf(results, RESULT.shootOut),
    table: {
      home: readTeam(home),
      away: readTeam(away),
      first_half: scoreOf(results, RESULT.firstHalf),
      second_half: scoreOf(results, RESULT.secondHalf),
    },
  };
}

/** Returns the result 2 of both sides of a message's event; null unless both are known. */
export function reportedScore(participants: readonly EventParticipant[]): Score | null {
  const of = (counter: number) => participants.find((side) => side.counter === counter)?.results;
  return scoreOf([of(1), of(2)], RESULT.score);
}

function scoreOf(results: readonly (readonly ReportedValue[] | undefined)[], id: number): Score | null {
  const [home, away] = results.map((values) => count(values?.find((one) => one.id === id)?.value));
  return home == null || away == null ? null : { home, away };
}

function readParticipant(side: ReportedSide | undefined): Participant | null {
  if (side === undefined) return null;
  const { id, name, short_name, acronym } = side;
  return { id, name, short_name, acronym };
}

function readTeam(side: ReportedSide | undefined): ResultTeam | null {
  if (side === undefined) return null;
  const { id, name, acronym, area_id, area_name } = side;
  return { id, name, acronym, area_id, area_name };
}

/** Whether a field was reported before any of these; false if it never was. */
export function isOlder(
  event: EventRegister,
  field: EventField,
  ...sources: readonly (EventField | 'participants')[]
): boolean {
  const ut = event.reportedAt(field);
  return ut !== undefined && sources.some((source) => (event.reportedAt(source) ?? ut) > ut);
}

/** Returns the match time that was reported last; null where the clock or the status was reported later. */
export function playedTimeOf(event: EventRegister): ClockRule['played'] {
  const time = event.value('played_time') ?? null;
  const ut = event.reportedAt('played_time') ?? 0;
  return time === null || isOlder(event, 'played_time', 'clock_time', 'status_id') ? null : { time, ut };
}

/** Returns the name of the status as reported; null where none was reported, or the status was reported later. */
export function statusNameOf(event: EventRegister): string | null {
  return isOlder(event, 'status_name', 'status_id') ? null : (event.value('status_name') ?? null);
}

/** Returns how the clock of a match of a sport is read. */
export function clockRuleOf(sportId: number | null, event: EventRegister): ClockRule {
  const lengths = periodLengths(sportId, event.value('details') ?? []);
  return {
    lengths,
    extra_time: typeof lengths === 'string' ? null : extraTimePlayed(event.sides()),
    played: lengths === 'unknown' ? playedTimeOf(event) : null,
  };
}
