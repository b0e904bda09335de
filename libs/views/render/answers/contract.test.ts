import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { ALL_OPERATIONS, operationNamed } from '#contract/rest/operations.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { catalogueRecord, tableEntry, tableRecord } from '../../testing/records.ts';
import { askApi, ViewsWorld } from '../../testing/world.ts';

let world: ViewsWorld;
let app: FastifyInstance;

/** The request of each operation. */
const REQUESTS: Readonly<Record<string, string>> = {
  'sports.index': '/v2/sports',
  'sports.show': '/v2/sports/5',
  'areas.index': '/v2/areas',
  'languages.index': '/v2/languages',
  'statuses.index': '/v2/statuses?sport_id=5',
  'incidents.index': '/v2/incidents?sport_id=5&limit=500',
  'standings-types.index': '/v2/standings-types?sport_id=5',
  'standings.index': '/v2/standings?object_type=season&object_id=25528',
  'standings.show': '/v2/standings/71',
  'competitions.index': '/v2/competitions',
  'stages.index': '/v2/stages?season_id=25528',
  'events.index': '/v2/events?season_id=25528',
  'events-simple.index': '/v2/events-simple?season_id=25528',
  'events.show': '/v2/events/7000001',
  'events.incidents': '/v2/events/7000001/incidents',
  'events.important-incidents': '/v2/events/7000001/important-incidents',
  'livescore.index': '/v2/livescore?date_from=2026-08-15',
  'basic-livescore.index': '/v2/basic-livescore?timestamp=1',
  'feed.index': '/v2/feed?timestamp=1790000000&timestamp_to=1790000060',
  'feed.show': '/v2/feed/7000001',
};

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server();
  world.play(
    incidentMessage(),
    eventMessage({ id: 2 }, { id: 7000002, status_id: 1, status_type: 'scheduled', participants: null }),
  );
  const table = {
    id: 71,
    name: 'League',
    type_id: 2,
    type_name: 'League standings',
    columns: [],
    object_type: 'season',
    object_id: 25528,
    groups: [],
  };
  world.give(
    catalogueRecord('competition', 6628, null, { id: 6628, name: 'Premier', stats_lvl: 'gold' }),
    catalogueRecord('season', 25528, 6628, { id: 25528, name: '2026', actual: 'yes' }),
    catalogueRecord('stage', 0, 25528, { id: 0, name: 'Regular' }),
    tableEntry(71),
    tableRecord(71, table),
  );
});

const ask = (url: string, status?: number) => askApi(app, url, status);

describe('every operation of the contract', () => {
  test.each(ALL_OPERATIONS.filter(({ name }) => name !== 'oauth').map(({ name }) => name))(
    '%s answers with data as its schema says',
    async (name) => {
      const api = await ask(REQUESTS[name] ?? '');
      const schema: z.ZodType = operationNamed(name).data;
      expect(schema.safeParse(api.data).error?.issues ?? []).toEqual([]);
      const [list] = Array.isArray(api.data) ? [api.data] : Object.values(api.data as object);
      expect(list).not.toEqual([]);
      expect(api.method.total_items).toBeGreaterThan(0);
    },
  );
});

test('names the places of an event from the catalogue, and unknown ones with empty text', async () => {
  world.play(eventMessage({ id: 3 }, { id: 7000003, season_id: 9, competition_id: 8 }));
  const known = await ask('/v2/events/7000001');
  const { competition } = known.data;
  expect([competition.name, competition.stats_lvl]).toEqual(['Premier', 'gold']);
  expect([competition.season.name, competition.season.stage.name]).toEqual(['2026', 'Regular']);
  expect(competition.season.stage.group).toMatchObject({ id: '', name: '' });
  const unknown = await ask('/v2/events/7000003');
  expect(unknown.data.competition).toMatchObject({ id: 8, name: '', season: { id: 9, name: '' } });
});

test('shows a name that arrived after the event', async () => {
  const urls = ['/v2/events/7000001', '/v2/livescore?date_from=2026-08-15', '/v2/competitions'];
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"Premier"');
  world.give(catalogueRecord('competition', 6628, null, { id: 6628, name: 'First' }, 1_800_000_000));
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"First"');
});

test('lists every table type that has an id', async () => {
  const api = await ask('/v2/standings-types?sport_id=5');
  const ids = api.data.standings_types.map(({ id }: { id: number }) => id);
  const wanted = [...TABLE_TYPES.values()].flatMap(({ type_id }) => type_id ?? []);
  expect(ids).toEqual(expect.arrayContaining(wanted));
  expect(ids).toEqual(expect.arrayContaining([9, 11]));
});

test.each([
  ['/v2/statuses', 'statuses'],
  ['/v2/incidents', 'incidents'],
  ['/v2/languages', 'languages'],
  ['/v2/areas', 'areas'],
  ['/v2/sports', 'sports'],
  ['/v2/standings-types?sport_id=5', 'standings_types'],
])('%s dates built-in records 2019-09-22', async (path, name) => {
  const at = 1_569_110_400;
  const since = async (timestamp: number) =>
    (await ask(`${path}${path.includes('?') ? '&' : '?'}timestamp=${timestamp}`)).data[name];
  const all = (await ask(path)).data[name];
  expect(all.length).toBeGreaterThan(0);
  for (const { ut } of all) expect(ut).toBe(at);
  expect(await since(0)).toEqual(all);
  expect(await since(at)).toEqual(all);
  expect(await since(at + 3_600)).toEqual([]);
});

test('lists the types of one sport only for that sport', async () => {
  const columns = [{ id: 1, code: 'mp', name: 'Matches played', short_name: 'MP' }];
  world.give(
    catalogueRecord('sport', 1, null, {
      id: 1,
      name: 'Basketball',
      url: 'b',
      active: 'yes',
      has_timer: 'yes',
    }),
    // Cards is also a type of soccer.
    catalogueRecord('standings_type', 7, 1, { id: 7, name: 'Cards', columns }),
    catalogueRecord('standings_type', 66, 1, { id: 66, name: 'League standings', columns }),
    catalogueRecord('standings_type', 67, 5, { id: 67, name: 'Of soccer', columns }),
  );
  const types = async (sport: number) => {
    const api = await ask(`/v2/standings-types?sport_id=${sport}`);
    return api.data.standings_types as { id: number; sport_id: number; columns: object[] }[];
  };
  const soccer = await types(5);
  expect(new Set(soccer.map(({ sport_id }) => sport_id))).toEqual(new Set([5]));
  expect(soccer.map(({ id }) => id)).toContain(67);
  expect(soccer.map(({ id }) => id)).not.toContain(66);
  expect(soccer.find(({ id }) => id === 7)?.columns.length).toBeGreaterThan(1);
  expect((await types(1)).map(({ id, sport_id }) => [id, sport_id])).toEqual([
    [7, 1],
    [66, 1],
  ]);
  const { sport } = (await ask('/v2/sports/1')).data;
  expect(sport).toMatchObject({ id: 1, results: [], stats: { team: [], person: [] }, details: [] });
  expect(sport.standings_types).toHaveLength(2);
});

test('answers 404 for an unknown sport, table or event', async () => {
  for (const url of ['/v2/sports/77', '/v2/standings/72', '/v2/events/5', '/v2/feed/5']) await ask(url, 404);
});
