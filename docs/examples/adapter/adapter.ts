/**
 * Translates the messages of another feed, and delivers them signed to Touchline's webhook-receiver. For Node 24 without
 * dependencies; the feed is one JSON value a line:
 *
 *     WEBHOOK_SECRET=<32 characters> RECEIVER=http://localhost:8080/webhook IDS=ids.db node adapter.ts < feed.ndjson
 */
import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

/** A message of the other feed: a whole match, and what happened in it. */
type TheirMessage = {
  /** Grows by one with each message. */
  readonly seq: number;
  /** When it was written, ISO 8601. */
  readonly at: string;
  readonly match: string;
  readonly league: string;
  readonly season: string;
  /** Kick-off, ISO 8601. */
  readonly start: string;
  readonly home: TheirTeam;
  readonly away: TheirTeam;
  /** Goals of both sides; null: not reported. */
  readonly score: readonly [number, number] | null;
  readonly period: keyof typeof STATUSES;
  /** Match time, `mm:ss`; null: the clock does not run. */
  readonly clock: string | null;
  readonly suspended: boolean;
  /** Null: only the match changed. */
  readonly what: TheirIncident | 'heartbeat' | null;
};
type TheirTeam = { readonly key: string; readonly name: string };
type TheirIncident = {
  readonly key: string;
  readonly type: keyof typeof TYPES;
  /** Key of the team; null: of none. */
  readonly team: string | null;
  readonly player?: string;
  readonly time: string;
  readonly state: keyof typeof CONFIRMATIONS;
  /** Of a cancelled goal: the key of the goal. */
  readonly of?: string;
  readonly deleted?: boolean;
};

/** Their periods as statuses: id, type, and the minute at which the clock of the period begins. */
const STATUSES = {
  pre: [1, 'scheduled', 0],
  first: [33, 'live', 0],
  break: [9, 'live', 45],
  second: [34, 'live', 45],
  over: [11, 'finished', 90],
} as const;

/** Their incident types as types of soccer: docs/reference/soccer-ids.md. */
const TYPES = {
  kick_off: 429,
  goal: 413,
  penalty_goal: 421,
  own_goal: 423,
  goal_cancelled: 424,
  yellow_card: 419,
  red_card: 418,
  half_time: 445,
  second_half: 430,
  full_time: 437,
  possible_goal: 1827,
} as const;

/** `tbd`: the incident awaits confirmation. A goal then counts in the score, but not in the firm score. */
const CONFIRMATIONS = { pending: 'tbd', confirmed: 'confirmed', void: 'cancelled' } as const;

/** Soccer. */
const SPORT = 5;

/** Gives each of their keys a number, the same one after a restart: all ids of Touchline are numbers. */
export class Ids {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS ids (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, key TEXT, UNIQUE (kind, key))',
    );
  }

  of(kind: string, key: string): number {
    const known = this.#database.prepare('SELECT id FROM ids WHERE kind = ? AND key = ?').get(kind, key);
    if (known !== undefined) return Number(known.id);
    return Number(this.#database.prepare('INSERT INTO ids (kind, key) VALUES (?, ?)').run(kind, key).lastInsertRowid);
  }
}

/** Returns the message as Touchline receives it. */
export function translate(theirs: TheirMessage, ids: Ids): object {
  const { seq, at, match, what } = theirs;
  const eventId = ids.of('match', match);
  const base = { id: seq, source: 1, ut: Math.floor(Date.parse(at) / 1000) };
  // Says that the feed is alive while nothing happens. Send one for each live match at least every 20 seconds.
  if (what === 'heartbeat') return { ...base, type: 'event_keep_alive', data: { event: { id: eventId } } };
  const event = eventOf(theirs, eventId, ids);
  if (what === null) return { ...base, type: 'event', data: { event } };
  return { ...base, type: 'incident', data: { event, incident: incidentOf(what, theirs, ids) } };
}

function eventOf(theirs: TheirMessage, id: number, ids: Ids): object {
  const { home, away, period, clock, score, league, season, start, suspended } = theirs;
  const [statusId, statusType, from] = STATUSES[period];
  const side = ({ key, name }: TheirTeam, counter: 1 | 2): object => ({
    id: ids.of('team', key),
    counter,
    type: 'team',
    name,
    // Result 2 is the reported score. Without it nothing is compared with the goals.
    results: score === null ? [] : [{ id: 2, value: score[counter - 1] }],
  });
  const isRunning = clock !== null && statusType === 'live';
  return {
    id,
    action: 'update',
    name: `${home.name} - ${away.name}`,
    sport_id: SPORT,
    competition_id: ids.of('competition', league),
    season_id: ids.of('season', `${league}/${season}`),
    start_date: start.slice(0, 16).replace('T', ' '),
    status_id: statusId,
    status_type: statusType,
    bet_status: suspended ? 'suspended' : 'active',
    // Seconds since the period began.
    clock_time: isRunning ? secondsOf(clock) - from * 60 : 0,
    clock_status: isRunning ? 'running' : 'stopped',
    participants: [side(home, 1), side(away, 2)],
  };
}

function incidentOf(what: TheirIncident, { match, period }: TheirMessage, ids: Ids): object {
  return {
    id: incidentId(match, what.key, ids),
    action: what.deleted === true ? 'delete' : 'update',
    incident_id: TYPES[what.type],
    incident_name: what.type.replaceAll('_', ' '),
    participant_id: what.team === null ? null : ids.of('team', what.team),
    subparticipant_name: what.player ?? null,
    event_status_id: STATUSES[period][0],
    event_time: what.time,
    confirmation: CONFIRMATIONS[what.state],
    important: 'yes',
    parent_id: what.of === undefined ? null : incidentId(match, what.of, ids),
  };
}

/** Ids of incidents are compared as texts, in the order of their occurrence: hence the zeros. */
function incidentId(match: string, key: string, ids: Ids): string {
  return `a-${String(ids.of('incident', `${match}/${key}`)).padStart(9, '0')}`;
}

function secondsOf(time: string): number {
  const [minutes = '', seconds = ''] = time.split(':');
  return Number(minutes) * 60 + Number(seconds);
}

/** Delivers a message, and repeats it until it is accepted: a repeated message changes nothing. */
async function deliver(message: object, receiver: string, secret: string): Promise<void> {
  const body = JSON.stringify([message]);
  for (;;) {
    const expires = String(Math.floor(Date.now() / 1000) + 300);
    const signature = createHmac('sha256', secret).update(`${body}.${expires}`).digest('hex');
    const headers = { 'x-signature-sha256': signature, 'x-signature-expiration-timestamp': expires };
    const options = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(receiver, options).catch((error: Error) => error);
    if (answer instanceof Response && answer.ok) return;
    console.error(answer instanceof Error ? answer.message : `${answer.status} ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

if (import.meta.main) {
  const { WEBHOOK_SECRET = '', RECEIVER = 'http://localhost:8080/webhook', IDS = 'ids.db' } = process.env;
  const ids = new Ids(IDS);
  for await (const line of createInterface({ input: process.stdin }))
    await deliver(translate(JSON.parse(line) as TheirMessage, ids), RECEIVER, WEBHOOK_SECRET);
}
