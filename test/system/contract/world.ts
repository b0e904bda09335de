/** Provider messages of the contract's rows, with their times; world-catalogue.ts has the catalogue records. */
import { readDelivery } from '#ingestion/delivery.ts';
import { CONTEXT, eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import { readJson } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';

const DAY = 86_400;

/** Start of the tests, Unix seconds. */
export const BEGAN = Math.floor(Date.now() / 1000);

/** Time when most messages were written and received, Unix seconds. */
export const PUBLISHED = BEGAN - 3_600;

/** Time of the messages of event 3001: before the feed's default window. */
export const LONG_AGO = BEGAN - 2 * DAY;

/** Time when the catalogue's records were written, Unix seconds. */
export const LISTED = BEGAN - 10 * DAY;

/** Returns the date `days` days after the start of the tests, `YYYY-MM-DD`, UTC. */
export function day(days: number): string {
  return new Date((BEGAN + days * DAY) * 1000).toISOString().slice(0, 10);
}

const LEAGUE = { competition_id: 10, season_id: 20, stage_id: 30, group_id: 40 };
const CUP = { competition_id: 11, season_id: 21, stage_id: 31 };
const OTHER = { competition_id: 12, season_id: 22, stage_id: 32 };

const SCHEDULED = { status_id: 1, status_type: 'scheduled', clock_time: null, clock_status: 'stopped' };
const LIVE = { status_id: 34, status_type: 'live', clock_time: 60, clock_status: 'running' };
const FINISHED = { status_id: 11, status_type: 'finished', clock_time: 0, clock_status: 'stopped' };
const POSTPONED = { ...SCHEDULED, status_id: 5 };

type Fields = Record<string, unknown>;

function sides(home: number, away: number, goals?: readonly [number, number]): Fields {
  const side = (id: number, counter: 1 | 2): Fields => ({
    id,
    counter,
    name: `Team ${id}`,
    short_name: `T${id}`,
    acronym: `A${id}`,
    stats: [{ id: 20, value: 4 }],
    results: goals === undefined ? [] : resultsOf(goals, counter),
  });
  return { participants: [side(home, 1), side(away, 2)] };
}

function resultsOf(goals: readonly [number, number], counter: 1 | 2): Fields[] {
  const [own = 0, other = 0] = counter === 1 ? goals : [goals[1], goals[0]];
  return [
    { id: 2, value: own },
    { id: 411, value: own > other ? 1 : 0 },
  ];
}

/** Returns four matches of a league round on two days, with their common fields. */
function round(number: number, first: number, state: Fields): Fields[] {
  return [0, 1, 2, 3].map((index) => ({
    id: 1000 + 4 * (number - 1) + index + 1,
    ...LEAGUE,
    name: 'A league match',
    round_id: number,
    round_name: `Round ${number}`,
    start_date: `${day(first + (index > 1 ? 1 : 0))} 15:00`,
    ...state,
    ...sides(101 + 2 * index, 102 + 2 * index, state === FINISHED ? [2, 1] : undefined),
  }));
}

/** Today 1005 is live, 1006 is postponed; the cup's two are live, one of them of another sport. */
const EVENTS: readonly Fields[] = [
  ...round(1, -40, FINISHED),
  ...round(2, 0, SCHEDULED).map((event) => ({ ...event, ...(event.id === 1006 ? POSTPONED : {}) })),
  ...round(3, 7, SCHEDULED),
  { id: 2001, ...CUP, start_date: `${day(0)} 20:00`, ...LIVE, ...sides(201, 101, [0, 0]) },
  { id: 2002, ...CUP, start_date: `${day(0)} 21:00`, ...LIVE, sport_id: 1, ...sides(301, 302, [3, 4]) },
];

/** All fields of an event, each with a value other than its default. */
export const DESCRIBED = {
  winner_id: 101,
  progress_id: 3,
  neutral_venue: 'yes',
  coverage_type: 'from_tv',
  event_stats_lvl_live: 'silver',
  event_stats_lvl: 'gold',
  latency: '3-6s',
  verified_result: 'yes',
  source: 9,
  ft_only: 'yes',
  scoutsfeed: 'yes',
  day: 2,
  venue_id: 77,
  series: { order: 2, event_ids: [1001, 1005] },
} as const;

const SIDE = {
  gender: 'male',
  area_id: 900,
  area_name: 'Atlantis',
  area_code: 'ATL',
  ut: LISTED,
  subparticipants: [{ id: 1101 }],
  lineups: [{ id: 1101 }],
};

const WATCHED = {
  ...EVENTS.find(({ id }) => id === 1005),
  ...LIVE,
  ...DESCRIBED,
  participants: (sides(101, 102, [3, 1]).participants as Fields[]).map((side) => ({ ...side, ...SIDE })),
};

const REPORTED = {
  subparticipant_id: 1101,
  subparticipant_name: 'A. Player',
  attribute_ids: [1],
  properties: { foot: 'left' },
  additional_info: { assistant_id: 1102, assistant_name: 'B. Player' },
  parent_id: '5-10',
  period_timer: { direction: 'up', time: 3_000 },
};

/**
 * Incidents of event 1005 in the order of their delivery, a second apart: 5-10 is under review, 5-100 was cancelled,
 * 5-11 is of no importance, 5-12 was removed, and 5-20 and 5-21 were delivered twice, once with the older record behind
 * the newer one.
 */
const INCIDENTS: readonly Fields[] = [
  { id: '5-21', event_time: '40:00', confirmation: 'tbd' },
  { id: '5-9', event_time: '50:00', confirmation: 'confirmed', ...REPORTED },
  { id: '5-10', event_time: '60:00', confirmation: 'tbd', participant_id: 102 },
  { id: '5-100', event_time: '05:00', confirmation: 'tbd' },
  { id: '5-11', event_time: '01:00', confirmation: null, incident_id: 408 },
  { id: '5-12', event_time: '07:00', confirmation: 'confirmed' },
  { id: '5-12', action: 'delete' },
  { id: '5-100', event_time: '05:00', confirmation: 'cancelled' },
  { id: '5-20', event_time: '30:00', confirmation: 'confirmed', ut: PUBLISHED + 60 },
  { id: '5-20', event_time: '20:00', confirmation: 'tbd', ut: PUBLISHED + 50 },
  { id: '5-21', event_time: '40:00', confirmation: 'confirmed' },
];

/** Incidents of event 1001, which ended 2:1 with named scorers. */
const PLAYED: readonly Fields[] = [
  { id: '5-1', incident_id: 429, participant_id: null },
  { id: '5-2', ...goalOf(101, 1101) },
  { id: '5-3', ...goalOf(101, 1102) },
  { id: '5-4', ...goalOf(102, 1201) },
];

function goalOf(team: number, player: number): Fields {
  const subject = { subparticipant_id: player, subparticipant_name: `Player ${player}` };
  return { incident_id: 413, confirmation: 'confirmed', participant_id: team, ...subject };
}

/**
 * A match that ended 2:2 after extra time, with an own goal, and 2:1 on penalties; shows which side each kind of
 * incident counts for.
 */
export const SHOOT_OUT = {
  id: 3003,
  countsFor: { '5-1': 'none', '5-2': 'own', '5-3': 'rival', '5-9': 'all' },
} as const;

const SHOT_OUT: Fields = {
  id: SHOOT_OUT.id,
  ...CUP,
  start_date: `${day(-3)} 20:00`,
  ...FINISHED,
  status_id: 13,
  participants: [
    shotOut(401, 1, { 2: 2, 3: 1, 4: 1, 5: 0, 104: 1, 7: 2, 411: 0, 412: 0 }),
    shotOut(402, 2, { 2: 2, 3: 1, 4: 0, 5: 1, 104: 1, 7: 1, 411: 0, 412: 1 }),
  ],
};

function shotOut(id: number, counter: number, results: Readonly<Record<string, number>>): Fields {
  return {
    id,
    counter,
    name: `Team ${id}`,
    results: Object.entries(results).map(([of, value]) => ({ id: Number(of), value })),
  };
}

const KICKS: readonly Fields[] = [
  { id: '5-1', incident_id: 429, participant_id: null, event_status_id: 33, event_time: '00:00' },
  { id: '5-2', ...goalOf(401, 4101), event_status_id: 33, event_time: '20:00' },
  { id: '5-3', ...goalOf(401, 4102), incident_id: 423, event_status_id: 34, event_time: '70:00' },
  { id: '5-4', ...goalOf(401, 4101), event_status_id: 35, event_time: '95:00' },
  { id: '5-5', ...goalOf(402, 4201), event_status_id: 36, event_time: '110:00' },
  { id: '5-6', ...goalOf(401, 4101), event_status_id: 141, event_time: '120:00' },
  { id: '5-7', ...goalOf(402, 4201), event_status_id: 141, event_time: '120:00' },
  { id: '5-8', ...goalOf(401, 4102), event_status_id: 141, event_time: '120:00' },
  {
    id: '5-9',
    incident_id: 435,
    participant_id: null,
    for: 'all',
    event_status_id: 141,
    event_time: '120:00',
  },
];

/** Rules of the league: two zones and a correction. */
export const LEAGUE_RULES = {
  format: 1,
  name: 'The league of the tests',
  applies_to: [{ competition_id: LEAGUE.competition_id, season_id: null }],
  points: { won: 3, draw: 1, lost: 0 },
  tie_break: ['points', 'goals_diff', 'goals_scored'],
  zones: [{ id: 26, name: 'Promotion', colour: '#002400', from: 1, to: 2 }],
  corrections: [{ participant_id: 103, value: -1, reason: 'Regulations', from: null }],
};

/** Ids of the standing incidents in the contract's order. */
export const STANDING = ['5-10', '5-100', '5-11', '5-20', '5-21', '5-9'];

/** Ids of the messages of event 3001, ten seconds apart from `LONG_AGO` on. */
export const LONG_AGO_IDS = [9001, 9002, 9003, 9004];

/** Returns all messages in the order of arrival, each field in a form that is not the specified one: the receiver reads their bytes. */
export function oddMessages(): NormalizedMessage[] {
  return messages((message) => {
    const body = Buffer.from(JSON.stringify([odd(message)]));
    const receivedAt = Number(message.ut) * 1_000;
    const { normalized, deadLetters } = readDelivery(body, { ...CONTEXT, service: 'receiver', receivedAt });
    if (deadLetters.length > 0) throw new Error(deadLetters[0]?.reason);
    return normalized;
  });
}

const FLAGS: ReadonlySet<unknown> = new Set(['yes', 'no']);
const ORDER: ReadonlySet<string> = new Set(['ut', 'counter']);

/** Returns a record of the provider in another form than the specified one. */
export function oddRecord(record: object): object {
  return readJson(JSON.stringify(odd(record))) as object;
}

/** Returns numbers as texts, flags as null, lists as objects, and half an emoji behind each name. */
function odd(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return { ...value.map((one) => odd(one, field)) };
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, odd(one, name)]));
  if (typeof value === 'number' && !ORDER.has(field)) return String(value);
  if (FLAGS.has(value)) return null;
  return typeof value === 'string' && field.endsWith('name') ? `${value}\ud83d` : value;
}

/** Returns all messages as the receiver normalizes them, in the order of arrival. */
export function messages(
  received: (message: Fields) => readonly NormalizedMessage[] = asSpecified,
): NormalizedMessage[] {
  let id = 1;
  return [
    ...longAgo(received),
    ...EVENTS.flatMap((event, index) => received(eventMessage({ id: id++, ut: PUBLISHED + index }, event))),
    ...PLAYED.flatMap((incident, index) =>
      received(incidentMessage({ id: id++, ut: PUBLISHED + 50 + index }, incident, EVENTS[0])),
    ),
    ...KICKS.flatMap((incident, index) =>
      received(incidentMessage({ id: id++, ut: PUBLISHED + 60 + index }, incident, SHOT_OUT)),
    ),
    ...INCIDENTS.flatMap((incident, index) =>
      received(
        incidentMessage({ id: id++, uuid: `uuid-${index}`, ut: PUBLISHED + 100 + index }, incident, WATCHED),
      ),
    ),
  ];
}

/** Returns an event with incidents that are important, for traders only, and neither. */
function longAgo(received: (message: Fields) => readonly NormalizedMessage[]): NormalizedMessage[] {
  const event = { id: 3001, ...OTHER, start_date: `${day(-2)} 12:00`, ...FINISHED };
  const types = [413, 402, 400];
  const [first = 0, ...others] = LONG_AGO_IDS;
  return [
    ...received(eventMessage({ id: first, ut: LONG_AGO }, event)),
    ...others.flatMap((id, index) => {
      const record = { id: `5-${index + 1}`, incident_id: types[index], confirmation: null };
      return received(incidentMessage({ id, ut: LONG_AGO + 10 * (index + 1) }, record, event));
    }),
  ];
}

/** Returns a provider message as the receiver normalizes it, received in the second of its writing. */
function asSpecified(message: Fields): [NormalizedMessage] {
  return [normalized(message, Number(message.ut) * 1000)];
}

/** Returns a new event of competition 12, season 22. */
export function publishedNow(id: number, ut: number): NormalizedMessage {
  const fields = { id, ...OTHER, start_date: `${day(60)} 12:00`, ...SCHEDULED };
  return asSpecified(eventMessage({ id, ut }, fields))[0];
}
