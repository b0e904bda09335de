import { ofEvent, readEvent } from '#ingestion/event.ts';
import type { Absence, Cause, Event, Incident, NormalizedMessage } from '#records/types.ts';
import { NO_EVENT } from '../event.ts';

/** The event of all builders of this file, its sides, and a start time. */
export const EVENT_ID = 7000001;
export const HOME = 51447;
export const AWAY = 51448;
export const START = 1_790_000_000;

/** Returns the cause for a message at an offset of the input. */
export function causeOf(message: NormalizedMessage, offset: number): Cause {
  return {
    topic: 'normalized-messages',
    partition: 0,
    offset,
    ut: message.ut,
    received_at: message.received_at,
    message_id: message.message_id,
  };
}

/** The fields of an incident that a test sets. By default it is a confirmed one of the home side in the first half. */
export type IncidentOptions = Partial<Incident> & { readonly note?: string };

/** Returns an incident. `note` makes an otherwise equal one different. */
export function incident(id: string, type: number, { note, ...options }: IncidentOptions = {}): Incident {
  return {
    id,
    ut: START,
    incident_id: type,
    incident_name: null,
    participant_id: HOME,
    participant_name: null,
    subparticipant_id: null,
    subparticipant_name: null,
    event_status_id: 33,
    event_status_name: null,
    event_time: 600,
    counts_for: null,
    confirmation: 'confirmed',
    game_break: null,
    important: null,
    important_for_trader: null,
    attribute_ids: [],
    additional_info: null,
    parent_id: null,
    message_id: null,
    other: note === undefined ? {} : { note: JSON.stringify(note) },
    ...options,
  };
}

/** Returns an event with these fields, in any form that a provider may write. */
export function eventOf(fields: Readonly<Record<string, unknown>>): Event {
  return readEvent(fields, new Set());
}

/** Returns the fields of an event in play, by name. `fields` replaces or adds some. */
export function eventFields(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    name: 'Home - Away',
    sport_id: 5,
    competition_id: 6628,
    season_id: 25528,
    stage_id: 76600,
    group_id: null,
    start_date: '2026-08-15 15:00',
    status_id: 33,
    status_type: 'live',
    relation_status: 'in_progress',
    bet_status: 'active',
    clock_time: 0,
    clock_status: 'running',
    participants: participants(),
    ...fields,
  };
}

/** Returns the `participants` of an event, with the given results 2 of both sides. */
export function participants(home?: unknown, away?: unknown): unknown[] {
  const results = (value: unknown) => (value === undefined ? [] : [{ id: 2, value }]);
  return [
    { id: HOME, counter: 1, name: 'Home', short_name: 'Home', acronym: 'HOM', results: results(home) },
    { id: AWAY, counter: 2, name: 'Away', short_name: 'Away', acronym: 'AWA', results: results(away) },
  ];
}

/** Returns an event message with these fields. */
export function eventMessage(ut: number, fields: Readonly<Record<string, unknown>>): NormalizedMessage {
  return { ...message(ut), type: 'event', ...ofEvent(eventOf(fields), ut) };
}

/** Returns an incident message. Without `fields` its event has no fields. */
export function incidentMessage(
  body: Incident,
  options: { readonly deleted?: boolean; readonly fields?: Readonly<Record<string, unknown>> } = {},
): NormalizedMessage {
  return {
    ...message(body.ut),
    type: 'incident',
    ...(options.fields === undefined ? {} : ofEvent(eventOf(options.fields), body.ut)),
    incident: { deleted: options.deleted ?? false, incident: body },
  };
}

/** Returns a snapshot of all incidents of the event at `time`. */
export function snapshotMessage(time: number, incidents: readonly Incident[]): NormalizedMessage {
  return { ...message(time), type: 'incident_snapshot', snapshot: [...incidents] };
}

/** Returns a message that the provider no longer has the event, or that an operator ended it. */
export function absenceMessage(
  ut: number,
  { confirmed = false, order = null }: Partial<Absence> = {},
): NormalizedMessage {
  return {
    ...message(ut),
    type: 'event_absence',
    event: confirmed ? { ...NO_EVENT, action: 'delete' } : null,
    absence: { confirmed, order },
  };
}

function message(ut: number): Omit<NormalizedMessage, 'type'> {
  return {
    message_id: `m-${ut}`,
    uuid: null,
    source: null,
    origin: 'webhook',
    delivery_id: 'd',
    event_id: EVENT_ID,
    ut,
    received_at: ut * 1000,
    content_at: ut * 1000,
    event: null,
    reported: null,
    clock: null,
    incident: null,
    snapshot: null,
    other: {},
    unread: [],
    unreadable: null,
    deleted: [],
    absence: null,
  };
}
