/** The event and the incident as values: their fields, their equality, and the object of the contract that they stand for. */
import { canonicalJson } from '#json/canonical-json.ts';
import { membersJson, otherFields, type RawRecord, valueJson, writeRecord } from '#json/records.ts';
import type { JsonObject } from '#json/values.ts';
import {
  EVENT_FIELDS,
  type Event,
  type EventField,
  type EventParticipant,
  type Incident,
} from '#records/types.ts';

/** The provider's value of an unknown source. */
export const NO_SOURCE = -1;

/** An event of which nothing is said. */
export const NO_EVENT: Event = {
  ...(Object.fromEntries(EVENT_FIELDS.map((name) => [name, null])) as { [Name in EventField]: null }),
  kick_off: null,
  participants: [],
  nulls: [],
  other: {},
};

/** Fields that the provider always knows: null says nothing about them (law 2). */
export const ALWAYS_KNOWN: ReadonlySet<string> = new Set<EventField>([
  'status_id',
  'status_type',
  'sport_id',
  'competition_id',
  'season_id',
  'stage_id',
]);

/** Returns the instant of a `start_date`, which is UTC, as Unix milliseconds; null where it is unknown or has another form. */
export function kickOffOf(startDate: string | null): number | null {
  const at = Date.parse(`${startDate?.replace(' ', 'T')}Z`);
  if (Number.isNaN(at)) return null;
  // Dates such as 31 February have an instant too, of another day.
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ') === startDate ? at : null;
}

/** Whether two values of a record are equal by content; several times as fast as `isDeepStrictEqual`, for every message. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (!sameValue(a[at], b[at])) return false;
    return true;
  }
  const [own, other] = [a as JsonObject, b as JsonObject];
  const names = Object.keys(own);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names)
    if (!Object.hasOwn(other, name) || !sameValue(own[name], other[name])) return false;
  return true;
}

/** A named side without its results, which are decided apart. */
export type ReportedSide = Omit<EventParticipant, 'id' | 'results'> & { readonly id: number };

/**
 * Returns the JSON of what a message says of an event as the contract writes it, and of the fields of `head`: what it has, and null for
 * what it set to null.
 */
export function eventJson(event: Event, head: RawRecord = {}): string {
  let members = JSON.stringify(head).slice(1, -1);
  for (const name of EVENT_FIELDS) {
    const value = event[name];
    if (value === null) continue;
    members += `,"${name}":${valueJson(typeof value === 'boolean' ? yesNo(value) : value)}`;
  }
  for (const name of event.nulls) members += `,"${name}":null`;
  members += membersJson(event.other);
  if (event.participants.length > 0) members += `,"participants":${valueJson(event.participants)}`;
  return `{${members.startsWith(',') ? members.slice(1) : members}}`;
}

/** Returns the object of `eventJson`. */
export function eventObject(event: Event): RawRecord {
  return JSON.parse(eventJson(event));
}

/** Returns an incident as the contract writes it, with all its fields. */
export function incidentObject(incident: Incident): RawRecord {
  const { counts_for, message_id: _, event_time, additional_info, other, ...own } = incident;
  return {
    ...otherFields(other),
    ...own,
    event_time: event_time === null ? null : matchTime(event_time),
    for: counts_for,
    game_break: yesNoOrNull(own.game_break),
    important: yesNoOrNull(own.important),
    important_for_trader: yesNoOrNull(own.important_for_trader),
    additional_info: additional_info && writeRecord(additional_info),
  };
}

/** Returns the provider's word for a boolean. */
export function yesNo(flag: boolean): 'yes' | 'no' {
  return flag ? 'yes' : 'no';
}

/** Returns the provider's word for a boolean; null for unknown. */
export function yesNoOrNull(flag: boolean | null): 'yes' | 'no' | null {
  return flag === null ? null : yesNo(flag);
}

/** Returns seconds of match time as the provider writes them, MM:SS. */
function matchTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns the text that orders two events of one second where nothing else does (law 2). */
export function eventText(event: Event): string {
  return canonicalJson(eventObject(event));
}

/** Returns the text that orders two records of an incident at last (law 1). One with a phase is the larger one. */
export function incidentText(incident: Incident): string {
  return canonicalJson({ ...incidentObject(incident), event_status_id: incident.event_status_id ?? '' });
}
