import type { FastifyInstance } from 'fastify';
import { beforeEach, expect, test } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { catalogueRecord, tableEntry, tableRecord } from '../../testing/records.ts';
import { askApi, ViewsWorld } from '../../testing/world.ts';

let world: ViewsWorld;
let app: FastifyInstance;

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

test('shows a name that arrived after the event', async () => {
  const urls = ['/v2/events/7000001', '/v2/livescore?date_from=2026-08-15', '/v2/competitions'];
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"Premier"');
  world.give(catalogueRecord('competition', 6628, null, { id: 6628, name: 'First' }, 1_800_000_000));
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"First"');
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
