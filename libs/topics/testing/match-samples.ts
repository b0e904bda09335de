/** One value of every topic with what a provider says of a match, and what derives from it. */
import type {
  Cause,
  Event,
  EventParticipant,
  EventReport,
  Guard,
  Incident,
  KeyIncident,
  TopicValues,
} from '#records/types.ts';

/** When the provider sent a message, Unix seconds, and when it was received, Unix milliseconds. */
export const [UT, AT] = [1_531_670_000, 1_531_670_000_123];
const delivery_id = 'a'.repeat(64);

export const CAUSE: Cause = {
  topic: 'normalized-messages',
  partition: 3,
  offset: 1_234_567,
  ut: 1_531_670_000,
  received_at: 1_531_670_000_123,
  message_id: '5-889947-2',
};

const season = { competition_id: 1478, season_id: 29_402 };
const match = { name: 'France - Croatia', sport_id: 5, ...season, status_id: 33, status_type: 'live' };
const start = { start_date: '2018-07-15 15:00', kick_off: Date.UTC(2018, 6, 15, 15) };
const phase = { relation_status: 'in_progress', bet_status: 'active' };
const place = { ...match, ...start, ...phase, stage_id: 83_000, group_id: 0 };
const clock = { time: 1_094, status: 'running', ut: 1_531_670_000 };
const [home, away] = [team(137_222, 'France', 'FRA'), team(137_233, 'Croatia', 'CRO')];
const [nilNil, oneNil] = [
  { home: 0, away: 0 },
  { home: 1, away: 0 },
];

function team(id: number, name: string, acronym: string) {
  return { id, name, short_name: name, acronym };
}

const guard: Guard = { safe: false, reasons: ['under_review', 'game_break'] };

const assistant = { id: 3_682, name: 'A. Griezmann' };

export const KEY_INCIDENT: KeyIncident = {
  id: '5-889947',
  incident_type: 413,
  team_id: 137_222,
  player_id: 3_682,
  player_name: 'A. Griezmann',
  minute: '45+2',
  in_shoot_out: true,
  counts_for_id: 31_511,
  stands: true,
};

const incident: Incident = {
  id: '5-889947',
  ut: 1_531_670_000,
  incident_id: 413,
  incident_name: 'Goal',
  participant_id: 137_222,
  participant_name: 'France',
  subparticipant_id: 9,
  subparticipant_name: 'A. Griezmann',
  event_status_id: 33,
  event_status_name: '1st half',
  event_time: 1_094,
  counts_for: 'own',
  confirmation: 'tbd',
  game_break: false,
  important: true,
  important_for_trader: true,
  attribute_ids: [4],
  additional_info: {
    assistant_id: 8,
    assistant_name: 'P. Pogba',
    goalkeeper_id: 1,
    goalkeeper_name: 'D. Subašić',
    secondary_assistant_id: 10,
    secondary_assistant_name: 'K. Mbappé',
    other: { shirt: '7' },
  },
  parent_id: null,
  message_id: 900_000_001,
  other: { x_pos: '12' },
};

const side = (id: number, counter: number, name: string, goals: string): EventParticipant => ({
  id,
  counter,
  type: 'team',
  name,
  short_name: name,
  acronym: name.slice(0, 3).toUpperCase(),
  area_id: 7,
  area_name: name,
  area_code: name.slice(0, 3).toUpperCase(),
  gender: 'male',
  ut: 1_531_000_000,
  results: [{ id: 2, value: goals, name: 'Result', short_name: 'Res', other: { data_type: '"integer"' } }],
  stats: [{ id: 20, value: '4', name: null, short_name: null, other: {} }],
  other: { logo: '"no"' },
});

const event: Event = {
  ...place,
  action: 'delete',
  area_id: 1,
  round_id: 7,
  round_name: 'Final',
  status_name: '1st half',
  item_status: 'active',
  clock_time: 1_094,
  clock_status: 'running',
  played_time: 1_094,
  winner_id: 137_222,
  progress_id: 137_222,
  neutral_venue: true,
  verified_result: false,
  coverage_type: 'from_tv',
  event_stats_lvl_live: 'silver',
  latency: null,
  event_stats_lvl: 'gold',
  source: -1,
  ft_only: false,
  scoutsfeed: true,
  sport_name: 'Soccer',
  day: '7',
  venue_id: 77,
  ut: 1_531_670_000,
  series: { order: 1, event_ids: [2_429_281] },
  details: [{ id: 17, value: '2', name: null, short_name: null, other: {} }],
  participants: [side(137_222, 1, 'France', '1'), side(137_233, 2, 'Croatia', '0')],
  nulls: ['latency'],
  other: { bfs: '"no"' },
};

export const EVENT_REPORT: EventReport = { ut: 1_531_670_000, message_id: 900_000_001, event };

const order = { at: 1_531_670_000_123, user: 'alice', host: 'ops-1', reason: 'never played' };

export const MATCH_SAMPLES = {
  'raw-messages': { delivery_id, origin: 'webhook', received_at: AT, body: Buffer.from('[{"id":"1"}]') },
  'normalized-messages': {
    message_id: '5-889947-2',
    uuid: '0b2f7a4e-5d0c-4a4e-9c0e-3c1d2b7a9f10',
    source: 1,
    type: 'incident',
    origin: 'webhook',
    delivery_id,
    event_id: 2_429_281,
    ut: 1_531_670_000,
    received_at: 1_531_670_000_123,
    content_at: 1_531_670_000_000,
    event,
    reported: oneNil,
    clock,
    incident: { deleted: false, incident },
    snapshot: [incident],
    other: { event: '{"id":2429281}' },
    unread: ['event.neutral_venue'],
    unreadable: 'ut: expected a whole number',
    deleted: [incident],
    absence: { confirmed: true, order },
  },
  'match-incidents': {
    event_id: 2_429_281,
    id: '5-889947',
    version: 12,
    removed: false,
    deleted_at: 1_531_670_010,
    deleted_by: 900_000_003,
    listed_at: 1_531_670_020,
    incident,
    cause: CAUSE,
    missing: true,
  },
  'match-state': {
    ...place,
    event_id: 2_429_281,
    version: 12,
    clock,
    home,
    away,
    score: oneNil,
    firm: nilNil,
    shoot_out: { home: 4, away: 3 },
    source: 'incidents',
    coverage: 'complete',
    reported: oneNil,
    agreement: 'agrees',
    under_review: true,
    counting_goals: ['5-889947'],
    void_goals: { '5-889940': 'goal_cancelled' },
    orphans: ['5-889941'],
    removed: ['5-889942'],
    anomalies: ['5-889943:no_side'],
    guard,
    verified_result: true,
    snapshot_at: 1_531_670_020,
    reports: [EVENT_REPORT],
    cause: CAUSE,
    key_incidents: [KEY_INCIDENT],
    derived: oneNil,
    missing: ['5-889944'],
    void_by: { '5-889940': ['5-889945'] },
    unread: [{ path: 'event.neutral_venue', ut: 1_531_670_000 }],
    unread_at: 1_531_670_001,
    first_finished: { ut: 1_531_676_000, message_id: 900_000_002 },
    first_started: { ut: 1_531_670_000, message_id: 900_000_001 },
    last_scheduled: { ut: 1_531_669_000, message_id: 900_000_000 },
    absence: { ut: 1_531_670_000, confirmed: true, order },
  },
  'match-transitions': {
    id: '2429281:12:0',
    event_id: 2_429_281,
    version: 12,
    n: 0,
    kind: 'score_changed',
    incident_id: '5-889947',
    incident_type: 413,
    match: {
      ...match,
      home,
      away: team(135_784, 'Croatia', 'CRO'),
      over: false,
      score: oneNil,
      score_before: nilNil,
      firm: nilNil,
      firm_before: nilNil,
      guard,
      guard_before: { safe: true, reasons: [] },
    },
    key_incident: KEY_INCIDENT,
    key_incident_before: KEY_INCIDENT,
    score: { before: nilNil, after: oneNil },
    value: { before: '1', after: '33' },
    fields: ['name'],
    cause: CAUSE,
    incident_presence: { removed: true, present_at: UT, absent_at: UT + 15, incident, missing: true },
    goals: [KEY_INCIDENT],
    remaining: { score: nilNil, cancelled: true },
    outranked: ['status_id'],
  },
  'match-results': {
    event_id: 2_429_281,
    version: 12,
    removed: false,
    ...season,
    ...start,
    stage_id: 83_000,
    group_id: 71_000,
    round_id: 40_000,
    status_id: 33,
    status_type: 'live',
    home: { id: 137_222, name: 'France', acronym: 'FRA', area_id: 55, area_name: 'France' },
    away: { id: 137_233, name: 'Croatia', acronym: 'CRO', area_id: 41, area_name: 'Croatia' },
    score: oneNil,
    first_half: oneNil,
    second_half: nilNil,
    goals: [{ kind: 'own_goal', team_id: 137_233, player: { id: 14_943, name: 'M. Mandzukic' }, assistant }],
    cards: [
      { kind: 'yellow', team_id: 137_222, player: { id: 31_528, name: 'N. Kante' }, attribute_ids: [] },
    ],
    shoot_out: null,
    cause: CAUSE,
  },
} satisfies Partial<TopicValues>;
