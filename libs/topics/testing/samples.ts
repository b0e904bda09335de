/** One value of every topic, with something in every field, for tests and measurements. */
import type { Cause, Guard, Incident } from '../generated/types.ts';
import type { TopicName, TopicValues } from '../topics.ts';

const cause: Cause = {
  topic: 'normalized-messages',
  partition: 3,
  offset: 1_234_567,
  ut: 1_531_670_000,
  received_at: 1_531_670_000_123,
  message_id: '5-889947-2',
};

const guard: Guard = { safe: false, reasons: ['under_review', 'game_break'] };

const incident: Incident = {
  id: '5-889947',
  ut: 1_531_670_000,
  incident_id: 413,
  participant_id: 137_222,
  counts_for: 'own',
  confirmation: 'tbd',
  event_status_id: 33,
  event_time: 1_094,
  parent_id: null,
  body: '{"confirmation":"tbd","event_status_id":33,"event_time":"18:14","id":"5-889947","incident_id":413,"incident_name":"Goal","participant_id":137222,"participant_name":"France"}',
};

const eventFields = [
  '{"clock_status":"running","clock_time":1094}',
  '{"bet_status":"active","relation_status":"in_progress","status_id":33,"status_name":"1st half","status_type":"live"}',
  '{"details":[{"id":17,"value":"2"}],"participants":[{"counter":1,"id":137222,"name":"France","results":[{"id":2,"value":"1"}]},{"counter":2,"id":137233,"name":"Croatia","results":[{"id":2,"value":"0"}]}]}',
  '{"competition_id":1478,"name":"France - Croatia","season_id":29402,"sport_id":5,"start_date":"2018-07-15 15:00"}',
];

const SAMPLES: TopicValues = {
  'raw-messages': {
    delivery_id: 'a'.repeat(64),
    origin: 'webhook',
    received_at: 1_531_670_000_123,
    body: Buffer.from('[{"id":"1"}]'),
  },
  'normalized-messages': {
    message_id: '5-889947-2',
    type: 'incident',
    origin: 'webhook',
    delivery_id: 'a'.repeat(64),
    event_id: 2_429_281,
    ut: 1_531_670_000,
    received_at: 1_531_670_000_123,
    event_fields: eventFields,
    incident: { deleted: false, incident },
    snapshot: [incident],
    body: '{"event":{"id":2429281}}',
  },
  'match-incidents': {
    event_id: 2_429_281,
    id: '5-889947',
    version: 12,
    removed: false,
    deleted_at: 1_531_670_010,
    listed_at: 1_531_670_020,
    incident,
    cause,
  },
  'match-state': {
    event_id: 2_429_281,
    version: 12,
    name: 'France - Croatia',
    sport_id: 5,
    competition_id: 1478,
    season_id: 29_402,
    stage_id: 83_000,
    group_id: 0,
    start_date: '2018-07-15 15:00',
    status_id: 33,
    status_type: 'live',
    relation_status: 'in_progress',
    bet_status: 'active',
    clock: { time: 1_094, status: 'running', ut: 1_531_670_000 },
    home: { id: 137_222, name: 'France', short_name: 'France', acronym: 'FRA' },
    away: { id: 137_233, name: 'Croatia', short_name: 'Croatia', acronym: 'CRO' },
    score: { home: 1, away: 0 },
    firm: { home: 0, away: 0 },
    shoot_out: { home: 4, away: 3 },
    source: 'incidents',
    coverage: 'complete',
    reported: { home: 1, away: 0 },
    agreement: 'agrees',
    under_review: true,
    counting_goals: ['5-889947'],
    void_goals: { '5-889940': 'goal_cancelled' },
    orphans: ['5-889941'],
    removed: ['5-889942'],
    anomalies: ['5-889943:no_side'],
    guard,
    verified_result: '"yes"',
    snapshot_at: 1_531_670_020,
    fields: eventFields.map((json, index) => ({ ut: 1_531_670_000 + index, json })),
    cause,
  },
  'match-transitions': {
    id: '2429281:12:0',
    event_id: 2_429_281,
    version: 12,
    n: 0,
    kind: 'score_changed',
    incident_id: '5-889947',
    incident_type: 413,
    score: { before: { home: 0, away: 0 }, after: { home: 1, away: 0 } },
    value: { before: '1', after: '33' },
    guard,
    fields: ['name'],
    cause,
  },
  'dead-letters': {
    id: 'b'.repeat(64),
    service: 'webhook-receiver',
    code: 'not_json',
    reason: 'not JSON at position 3',
    topic: 'normalized-messages',
    partition: 3,
    offset: 99,
    key: Buffer.from('2429281'),
    value: Buffer.from([0, 255, 128]),
    failed_at: 1_531_670_000_123,
  },
};

/** A value of the topic. */
export function sampleOf<T extends TopicName>(topic: T): TopicValues[T] {
  return SAMPLES[topic];
}
