import { expect } from 'vitest';
import type { JsonObject } from '#json/values.ts';
import type { ApiReplica } from '../../support/api.ts';
import { untilTrue } from '../../support/poll.ts';
import { DATASET } from '../../support/system.ts';

const SEASON = DATASET.competition.season.id;
const DAY = 86_400;

/** Every operation with `timestamp`, with the smallest pages, so that changes happen between them. */
const LISTS = [
  'sports?limit=5',
  'areas?limit=5',
  'languages?limit=5',
  'statuses?limit=5',
  'incidents?limit=5',
  'standings-types?limit=5',
  'standings?limit=5',
  'competitions?limit=5',
  'stages?limit=5',
  'livescore?date_from=2018-06-14&date_to=2018-07-14&limit=5',
  `events?season_id=${SEASON}&limit=5`,
  `events-simple?season_id=${SEASON}&limit=5`,
  'basic-livescore?',
  'feed?limit=50',
];

/** Levels of an answer that are separate records; everything else that is nested belongs to its record. */
const LEVELS = ['competitions', 'seasons', 'stages', 'groups', 'events'];

/** Records by kind and id, as their JSON. */
type Records = Map<string, string>;

/** A client that reads each list once, then only changes since the `api.timestamp` of its previous answer. */
export class IncrementalClient {
  readonly #api: ApiReplica;
  readonly #token: string;
  readonly #lists: ReadonlyMap<string, { since: number; readonly records: Records }>;
  readonly #stopping = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  /** Number of received records that were new or different. */
  changes = 0;

  /** `startedAt` is a time before the first record of the system, Unix seconds. */
  constructor(api: ApiReplica, token: string, startedAt: number) {
    this.#api = api;
    this.#token = token;
    this.#lists = new Map(LISTS.map((list) => [list, { since: startedAt, records: new Map() }]));
  }

  /** Reads all lists repeatedly until `stop`. */
  start(): void {
    this.#reading = (async () => {
      while (!this.#stopping.signal.aborted) await this.#readChanges();
    })();
    // `stop` rejects with its error.
    this.#reading.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reading;
  }

  /** Expects that the stopped client has every record of each complete list. The system must be idle. */
  async expectNothingMissed(): Promise<void> {
    let missed: string[] = [];
    await untilTrue('the client has all', async () => {
      await this.#readChanges();
      missed = await this.#missed();
      return missed.length === 0;
    }).catch(() => {});
    expect(missed).toEqual([]);
  }

  async #missed(): Promise<string[]> {
    const missed: string[] = [];
    for (const [list, { records }] of this.#lists) {
      const whole = await this.#read(list, isFeed(list) ? Math.floor(Date.now() / 1000) - DAY : 1);
      expect(whole.records.size, list).toBeGreaterThan(0);
      for (const [key, json] of whole.records) if (records.get(key) !== json) missed.push(`${list} ${key}`);
    }
    return missed;
  }

  async #readChanges(): Promise<void> {
    for (const [list, known] of this.#lists) {
      const { since, records } = await this.#read(list, known.since);
      known.since = since;
      for (const [key, json] of records) {
        if (known.records.get(key) !== json) this.changes += 1;
        known.records.set(key, json);
      }
    }
  }

  /** Reads every page of the changes since a time. Returns the time for the next request as `since`. */
  async #read(list: string, since: number): Promise<{ readonly since: number; readonly records: Records }> {
    const records: Records = new Map();
    const first = await this.#api.api(`/v2/${list}&timestamp=${since}&token=${this.#token}`);
    let page = first;
    for (;;) {
      // Providers reuse the id of a message.
      if (isFeed(list)) for (const message of page.data) records.set(JSON.stringify(message), '');
      else collect(page.data, records);
      if (page.method.next_page === '') return { since: first.timestamp, records };
      const next = new URL(page.method.next_page);
      page = await this.#api.api(next.pathname + next.search);
    }
  }
}

function isFeed(list: string): boolean {
  return list.startsWith('feed');
}

/** Collects the records of an answer's data, each without the records below it. */
function collect(data: unknown, into: Records): void {
  const walk = (kind: string, node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) walk(kind, item);
      return;
    }
    const own: [string, unknown][] = [];
    for (const [name, value] of Object.entries(node as JsonObject)) {
      if (LEVELS.includes(name)) walk(name, value);
      else own.push([name, value]);
    }
    const id = (node as JsonObject).id ?? (node as JsonObject).uuid;
    if (id !== undefined) into.set(`${kind}/${id}`, JSON.stringify(own));
    else for (const [name, value] of own) walk(name, value);
  };
  walk('', data);
}
