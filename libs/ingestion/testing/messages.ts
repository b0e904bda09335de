/** Messages for tests: values are invented, the shape is that of `messages.ts`. */

type Fields = Record<string, unknown>;

/** The context of the tests' messages. */
export const CONTEXT = {
  origin: 'webhook',
  deliveryId: 'd'.repeat(64),
  receivedAt: 1_790_000_000_123,
} as const;

/** Fields of the incident that starts a match, for `incidentMessage`. */
export const KICK_OFF = {
  id: '5-100',
  incident_id: 429,
  participant_id: null,
  confirmation: null,
  event_time: '00:00',
} as const;

/** Returns an incident record: a goal of the home side in the 10th minute. */
export function incidentRecord(changes: Fields = {}): Fields {
  return {
    id: '5-110',
    action: 'insert',
    incident_id: 413,
    incident_name: 'Goal',
    attribute_ids: [],
    confirmation: 'tbd',
    participant_id: 101,
    participant_name: 'Home',
    subparticipant_id: null,
    event_status_id: 33,
    event_status_name: '1st half',
    event_time: '09:30',
    parent_id: null,
    x_pos: null,
    ...changes,
  };
}

/** Returns the two participants of an event with their results. */
export function participantRecords(home: number, away: number): Fields[] {
  const participant = (id: number, counter: number, goals: number): Fields => ({
    id,
    counter,
    name: `Team ${id}`,
    short_name: `T${id}`,
    acronym: `T${counter}`,
    type: 'team',
    stats: [
      { id: 20, value: '4' },
      { id: 8, value: null },
    ],
    results: [
      { id: 2, value: goals },
      { id: 411, value: 0 },
    ],
    subparticipants: [],
  });
  return [participant(101, 1, home), participant(102, 2, away)];
}

/** Returns an event record with two participants and their results. */
function eventRecord(changes: Fields = {}): Fields {
  return {
    id: 7000001,
    action: 'update',
    name: 'Team 101 - Team 102',
    start_date: '2026-08-15 15:00',
    sport_id: 5,
    competition_id: 6628,
    season_id: 25528,
    stage_id: 0,
    status_id: 33,
    status_type: 'live',
    relation_status: 'in_progress',
    bet_status: 'active',
    clock_time: 570,
    clock_status: 'running',
    neutral_venue: 'no',
    details: [
      { id: 16, value: 45 },
      { id: 58, value: 'No Extra Time' },
    ],
    participants: participantRecords(1, 0),
    ...changes,
  };
}

/** Returns an incident message with its event. */
export function incidentMessage(changes: Fields = {}, incident: Fields = {}, event: Fields = {}): Fields {
  const data = { incident: incidentRecord(incident), event: eventRecord(event) };
  return { id: 35375779, type: 'incident', source: 1, ut: 1_790_000_000, data, ...changes };
}

/** Returns an event message. */
export function eventMessage(changes: Fields = {}, event: Fields = {}): Fields {
  return {
    id: 35375780,
    type: 'event',
    source: 1,
    ut: 1_790_000_000,
    data: { event: eventRecord(event) },
    ...changes,
  };
}
