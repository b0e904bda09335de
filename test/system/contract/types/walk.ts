/** Collects the fields of records in answers, with the kinds of their values. Pure. */

/** The type of a value; distinguishes the empty values `null`, `""` and `0`. */
export type Kind = 'null' | '""' | '0' | 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object';

/** Kinds by the field of a record, such as `competition.tour_id`, with the first value of each kind. */
export type Seen = Map<string, Map<Kind, unknown>>;

/** Nested records, by the field that contains them. */
const INSIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  competition: { seasons: 'season', season: 'season' },
  season: { stages: 'stage', stage: 'stage' },
  stage: { groups: 'group', group: 'group' },
  group: { events: 'event', event: 'event' },
  event: {
    participants: 'participant',
    details: 'detail',
    events_incidents: 'incident',
    series: 'series',
  },
  participant: { results: 'result', stats: 'stat' },
  incident: { additional_info: 'additional_info' },
  sport: {
    statuses: 'status',
    results: 'sport_result',
    stats: 'sport_stats',
    details: 'sport_detail',
    incidents: 'incident_type',
    standings_types: 'standings_type',
  },
  sport_stats: { team: 'sport_stat', person: 'sport_stat' },
  sport_detail: { possible_values: 'possible_value' },
  standings_type: { columns: 'type_column' },
  standings: { groups: 'table' },
  table: { participants: 'row', zones: 'zone', corrections: 'correction' },
  row: { columns: 'cell' },
  feed_message: { data: 'feed_data' },
  feed_data: { incident: 'feed_incident', event: 'feed_event' },
  feed_event: { participants: 'feed_participant', details: 'feed_value' },
  feed_participant: { results: 'feed_value', stats: 'feed_value' },
};

/** Records of the payload, by the field that contains them. */
const CONTAINERS: Readonly<Record<string, string>> = {
  sports: 'sport',
  sport: 'sport',
  areas: 'area',
  languages: 'language',
  statuses: 'status',
  incidents: 'incident_type',
  standings_types: 'standings_type',
  standings_list: 'standings_entry',
  standings: 'standings',
  competitions: 'competition',
  competition: 'competition',
  event_incidents: 'incident',
};

/** Records of operations whose payload is a bare list or the record itself. */
const BARE: Readonly<Record<string, string>> = {
  'events.incidents': 'incident',
  'feed.index': 'feed_message',
  'feed.show': 'feed_message',
  oauth: 'token',
};

type Json = Readonly<Record<string, unknown>>;

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (value === '') return '""';
  if (value === 0) return '0';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Collects the fields of an operation's answer: its `api` object. */
export function seeAnswer(seen: Seen, operation: string, api: Json): void {
  see(seen, 'answer', without(api, 'data', 'method'));
  see(seen, 'method', api.method);
  seeData(seen, operation, api.data);
}

/** Collects the fields of an operation's payload. */
export function seeData(seen: Seen, operation: string, data: unknown): void {
  const bare = BARE[operation];
  if (bare !== undefined) {
    see(seen, bare, data);
    return;
  }
  for (const [field, value] of Object.entries(data as Json)) {
    const record = CONTAINERS[field];
    if (record === undefined) throw new Error(`${operation} has ${field}`);
    see(seen, record, value);
  }
}

function see(seen: Seen, record: string, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) see(seen, record, item);
    return;
  }
  if (value === null || typeof value !== 'object') {
    note(seen, record, value);
    return;
  }
  for (const [field, inside] of Object.entries(value)) {
    note(seen, `${record}.${field}`, inside);
    const nested = INSIDE[record]?.[field];
    if (nested !== undefined && typeof inside === 'object' && inside !== null) see(seen, nested, inside);
  }
}

function note(seen: Seen, field: string, value: unknown): void {
  const kinds = seen.get(field) ?? new Map<Kind, unknown>();
  seen.set(field, kinds);
  const kind = kindOf(value);
  if (!kinds.has(kind)) kinds.set(kind, value);
}

function without(record: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
