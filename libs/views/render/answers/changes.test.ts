/** A query with the time of an earlier answer returns everything that was not in it, whenever the provider wrote it. */
import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { ViewRecord } from '../../records.ts';
import { catalogueRecord, tableRecord } from '../../testing/records.ts';
import { normalized, ViewsWorld } from '../../testing/world.ts';

/** Times at which the provider wrote the records, and at which they were read, long after. Unix seconds. */
const WRITTEN = 1_700_000_000;
const READ = 1_790_000_000;
/** Margin of queries, seconds: another replica may have shown a change this much earlier. */
const SPARE = 10;

let world: ViewsWorld;
let app: FastifyInstance;

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server();
});

function record(kind: string, id: number, parent: number | null, at = READ): ViewRecord {
  const ut = WRITTEN + at - READ;
  const body = { id, name: `${kind} ${id} at ${at}`, sport_id: 5, ut };
  return { ...catalogueRecord(kind, id, parent, body, ut), timestamp: at * 1_000 };
}

/** Returns the number of items of an operation that changed since then. */
async function changed(path: string, since: number): Promise<number> {
  const answer = await app.inject(`/v2/${path}${path.includes('?') ? '&' : '?'}token=t&timestamp=${since}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().api.method.total_items;
}

/** Expects `count` changes for a query since `at` (Unix seconds), and none for a query after it. */
async function expectChange(path: string, at: number, count = 1): Promise<void> {
  expect(await changed(path, at), path).toBe(count);
  expect(await changed(path, at + SPARE + 1), path).toBe(0);
}

test.each([
  ['sport', 'sports'],
  ['area', 'areas'],
  ['language', 'languages'],
  ['status', 'statuses'],
  ['incident', 'incidents?sport_id=5'],
  ['standings_type', 'standings-types?sport_id=5'],
  ['competition', 'competitions'],
  ['stage', 'stages'],
])('dates a record of kind %s by when it is read, not written', async (kind, path) => {
  world.give(record(kind, 900, null));
  await expectChange(path, READ);
  // The same record again.
  world.give({ ...record(kind, 900, null), timestamp: (READ + 100) * 1_000 });
  await expectChange(path, READ);
});

test('dates a competition and a stage by the last change below them', async () => {
  world.give(record('competition', 1, null), record('season', 2, 1), record('stage', 3, 2));
  await expectChange('competitions', READ);
  world.give(record('group', 4, 3, READ + 100));
  await expectChange('competitions', READ + 100);
  await expectChange('stages', READ + 100);
  world.give(record('season', 5, 1, READ + 200));
  await expectChange('competitions', READ + 200);
  expect(await changed('stages', READ + 200)).toBe(0);
});

test('dates a stage that is known only from an event by that event', async () => {
  const ids = { competition_id: 6, season_id: 7, stage_id: 8 };
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 1, ...ids }), READ * 1_000));
  await expectChange('competitions', READ);
  await expectChange('stages', READ);
  // Another event in the same stage changes nothing; another stage changes the competition.
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 2, ...ids }), (READ + 100) * 1_000));
  await expectChange('competitions', READ);
  const other = { ...ids, stage_id: 9 };
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 3, ...other }), (READ + 200) * 1_000));
  await expectChange('competitions', READ + 200);
});

test('dates an entry of the standings by the last change of its table', async () => {
  world.give({ ...tableRecord(7), timestamp: READ * 1_000 });
  await expectChange('standings', READ);
  const table = tableRecord(7, { version: 2, ut: WRITTEN + 5 });
  world.give({ ...table, timestamp: (READ + 100) * 1_000 });
  await expectChange('standings', READ + 100);
  const answer = await app.inject('/v2/standings?token=t');
  expect(answer.json().api.data.standings_list).toMatchObject([{ id: 7, ut: READ + 100 }]);
});

test('reports a deleted event as deleted', async () => {
  const lists = [
    'events?season_id=25528',
    'events-simple?season_id=25528',
    'livescore?date_from=2026-08-15',
    'basic-livescore?',
  ];
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 1 }), READ * 1_000));
  for (const list of lists) await expectChange(list, READ);
  const deleted = eventMessage({ ut: WRITTEN + 1 }, { id: 1, action: 'delete' });
  world.take(normalized(deleted, (READ + 100) * 1_000));
  for (const list of lists) {
    await expectChange(list, READ + 100);
    const answer = await app.inject(`/v2/${list}&token=t&timestamp=${READ}`);
    expect(answer.body, list).toContain('"item_status":"deleted"');
  }
  expect((await app.inject('/v2/events?season_id=25528&token=t')).json().api.method.total_items).toBe(0);
  expect((await app.inject('/v2/events/1?token=t')).statusCode).toBe(404);
});

test('reports records that were written while a replica was stopped or behind to clients that queried it before', async () => {
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 1 }), READ * 1_000));
  const left = READ;
  world.restart();
  app = await world.server();
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 2 }), (left - 300) * 1_000));
  expect(await changed('events?season_id=25528', left)).toBe(2);
  world.take(normalized(eventMessage({ ut: WRITTEN }, { id: 3 }), (left + 300) * 1_000));
  expect(await changed('events?season_id=25528', left + 300)).toBe(1);
});
