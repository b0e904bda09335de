/** A client that queries with the `api.timestamp` of its last answer gets every change, even of records that are read late. */

import type { FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import { seeded } from '../../../../test/support/seed.ts';
import { catalogueRecord, tableRecord } from '../../testing/records.ts';
import { normalized, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';

/** Number of changes; the seed decides which. */
const CHANGES = 2_000;
/** Changes between two queries, and milliseconds between two changes. */
const A_ROUND = 125;
const PACE = 40;
const EVENTS = 40;
const PLACES = 20;
const START = Math.floor(RECEIVED_AT / 1000);

/** Paths of the lists to read. */
const LISTS = [
  'sports',
  'areas',
  'languages',
  'statuses',
  'incidents',
  'standings-types',
  'competitions',
  'stages',
  'standings',
  'events?season_id=25528&',
  'events-simple?season_id=25528&',
  'feed',
  'livescore?date_from=2026-08-15&',
  'basic-livescore',
];

/** A client's state of a list: the time of its next query, and all received marks. */
type Reader = { since: number; readonly marks: Set<string> };

/** Reads every page of changes since the last query, and stores the time of the first answer. */
async function read(app: FastifyInstance, list: string, reader: Reader): Promise<void> {
  const url = `/v2/${list}${list.includes('?') ? '' : '?'}token=t&timestamp=${reader.since}`;
  let next = url;
  let first = true;
  while (next !== '') {
    const answer = await app.inject(next);
    expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200);
    const { api } = answer.json();
    if (first) reader.since = api.timestamp;
    first = false;
    for (const [mark] of answer.body.matchAll(/mark-\d+-/g)) reader.marks.add(mark);
    next = String(api.method.next_page).replace(/^https?:\/\/[^/]+/, '');
  }
}

test(`returns each of ${CHANGES} changes, on every operation with a timestamp`, async () => {
  const world = new ViewsWorld();
  const app = await world.server();
  const readers = new Map(LISTS.map((list) => [list, { since: START - 60, marks: new Set<string>() }]));
  const kinds = ['sport', 'area', 'language', 'status', 'incident', 'standings_type', 'competition', 'stage'];
  const random = seeded();
  const upTo = (n: number): number => Math.floor(random() * n);
  const received: string[] = [];
  const catalogued: string[] = [];
  const entries: string[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    world.now += PACE;
    world.views.caughtUp();
    const mark = `mark-${change}-`;
    // Written up to ten minutes before it is read; versions of one record are in order.
    const ut = START + Math.floor(change / 20);
    const late = ut - 600;
    const kind = upTo(10);
    const at = { partition: 0, offset: change, timestamp: world.now };
    if (kind < 6) {
      const event = { id: 1 + upTo(EVENTS), round_name: mark, start_date: '2026-08-15 15:00' };
      world.take(normalized(eventMessage({ id: change, ut: late }, event), world.now));
      received.push(mark);
    } else if (kind < 9) {
      const one = String(kinds[upTo(kinds.length)]);
      const id = 900 + upTo(PLACES);
      const parent = one === 'stage' ? 25528 : one === 'standings_type' ? 5 : null;
      const body = { id, name: mark, sport_id: 5, ut: late };
      world.give({ ...catalogueRecord(one, id, parent, body, late), ...at });
      catalogued.push(mark);
    } else {
      const id = 70 + upTo(PLACES);
      world.give({ ...tableRecord(id, { version: change, name: mark, ut: late }), ...at });
      entries.push(mark);
    }
    // A record may change several times between two queries: only its last state must arrive. Every message must.
    if (change % A_ROUND === 0) for (const [list, reader] of readers) await read(app, list, reader);
  }
  for (const [list, reader] of readers) await read(app, list, reader);
  const marksOf = (list: string): Set<string> => readers.get(list)?.marks ?? new Set();
  // The feed has every message, the lists the current records.
  expect(received.filter((mark) => !marksOf('feed').has(mark))).toEqual([]);
  for (const list of LISTS.filter((one) => one !== 'feed')) {
    const whole: Reader = { since: 0, marks: new Set() };
    await read(app, list, whole);
    const missed = [...whole.marks].filter((mark) => !marksOf(list).has(mark));
    expect(missed, list).toEqual([]);
    expect(whole.marks.size, list).toBeGreaterThan(10);
  }
  expect(catalogued.length + entries.length + received.length).toBe(CHANGES);
});
