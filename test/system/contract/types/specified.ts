/** The types that the specification states ("Resources and their fields"), as kinds of values by field. */
import type { Kind } from './walk.ts';

const INTEGER = ['integer', '0'] as const;
const TEXT = ['text'] as const;
const TEXT_OR_NONE = ['text', 'null'] as const;
const INTEGER_OR_NONE = [...INTEGER, 'null'] as const;
const LIST = ['list'] as const;
const ID_AND_NAME = { id: INTEGER, name: TEXT };

/** Kinds by record, then by field. Fields that the specification names without a type are missing. */
const RECORDS: Readonly<Record<string, Readonly<Record<string, readonly Kind[]>>>> = {
  answer: { ver: TEXT, timestamp: INTEGER },
  method: {
    // The URL of a missing page is shown as "".
    name: TEXT,
    details: TEXT,
    total_items: INTEGER,
    parameters: ['object'],
    next_page: ['text', '""'],
    previous_page: ['text', '""'],
  },
  token: { client_id: TEXT, token: TEXT, token_expiration: INTEGER },
  sport: { ...ID_AND_NAME, url: TEXT, active: TEXT, has_timer: TEXT },
  incident_type: { ...ID_AND_NAME, game_break: TEXT, important: TEXT, important_for_trader: TEXT },
  standings_type: { type_id: INTEGER, type_name: TEXT, columns: LIST },
  standings_entry: {
    ...ID_AND_NAME,
    type_id: INTEGER,
    type_name: TEXT,
    subtype: TEXT,
    object_type: TEXT,
    object_id: INTEGER,
    object_name: TEXT,
    item_status: TEXT,
  },
  standings: {
    ...ID_AND_NAME,
    type_id: INTEGER,
    type_name: TEXT,
    object_type: TEXT,
    object_id: INTEGER,
    columns: LIST,
    groups: LIST,
  },
  table: {
    id: ['text', '""'],
    name: ['text', '""'],
    zones: LIST,
    corrections: LIST,
    participants: LIST,
  },
  row: {
    ...ID_AND_NAME,
    participant_type: TEXT,
    participant_acronym: TEXT,
    area_id: INTEGER,
    area_name: TEXT,
    rank: INTEGER,
    last_rank: INTEGER,
    subparticipant_id: INTEGER,
    subparticipant_name: TEXT,
    columns: LIST,
  },
  cell: { id: INTEGER, code: TEXT, short_name: TEXT, value: [...INTEGER, 'number', 'text'] },
  competition: {
    ...ID_AND_NAME,
    short_name: TEXT,
    stats_lvl: TEXT,
    generate_season_stats: ['boolean'],
    seasons: LIST,
  },
  season: { ...ID_AND_NAME, actual: TEXT, stages: LIST },
  stage: {
    ...ID_AND_NAME,
    start_date: TEXT,
    end_date: TEXT,
    show_standings: TEXT,
    has_brackets: TEXT,
    groups: LIST,
  },
  group: { id: INTEGER, name: ['text', '""'], events: LIST },
  event: {
    ...ID_AND_NAME,
    start_date: TEXT,
    competition_id: INTEGER,
    season_id: INTEGER,
    stage_id: INTEGER,
    group_id: INTEGER,
    sport_id: INTEGER,
    round_id: INTEGER,
    round_name: TEXT,
    status_id: INTEGER,
    status_name: TEXT,
    status_type: TEXT,
    relation_status: TEXT,
    clock_time: INTEGER,
    clock_status: TEXT,
    played_time: INTEGER_OR_NONE,
    winner_id: INTEGER_OR_NONE,
    neutral_venue: TEXT,
    coverage_type: TEXT,
    event_stats_lvl_live: TEXT,
    bet_status: TEXT,
    latency: TEXT_OR_NONE,
    series: ['object'],
    participants: LIST,
    events_incidents: LIST,
  },
  series: { order: INTEGER, event_ids: LIST },
  participant: { ...ID_AND_NAME, short_name: TEXT, acronym: TEXT, counter: INTEGER, results: LIST },
  result: { id: INTEGER, value: TEXT },
  incident: {
    id: TEXT,
    incident_id: INTEGER,
    incident_name: TEXT,
    participant_id: INTEGER,
    participant_name: TEXT,
    subparticipant_id: INTEGER,
    subparticipant_name: TEXT,
    event_status_id: INTEGER,
    event_status_name: TEXT,
    event_time: TEXT,
    for: TEXT,
    confirmation: TEXT_OR_NONE,
    ut: INTEGER,
    attribute_ids: ['list', 'object'],
    properties: ['list', 'object'],
    parent_id: TEXT_OR_NONE,
    additional_info: ['list', 'object'],
  },
  feed_event: { action: TEXT },
};

/** Kinds by field of a record, such as `event.winner_id`. */
export const SPECIFIED: Readonly<Record<string, readonly Kind[]>> = Object.fromEntries(
  Object.entries(RECORDS).flatMap(([record, fields]) =>
    Object.entries(fields).map(([field, kinds]) => [`${record}.${field}`, kinds]),
  ),
);
