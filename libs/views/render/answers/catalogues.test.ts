/** The reference catalogues: built-in records, and a provider's records that override them. */

import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#json/values.ts';
import { catalogueRecord } from '../../testing/records.ts';
import { askApi, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';

const BUILT_IN_AT = 1_569_110_400;

let world: ViewsWorld;
let app: FastifyInstance;

beforeEach(async () => {
  world = new ViewsWorld();
  app = await world.server();
});

/** When records become visible in the tests, Unix seconds. */
const VISIBLE_AT = Math.floor(RECEIVED_AT / 1000);

/** Applies a record of the provider's catalogue. */
function listed(kind: string, id: string, body: JsonObject, parent: string | null = null): void {
  world.give(catalogueRecord(kind, id, parent, body));
}

/** Returns the records of a list. */
async function list(path: string): Promise<JsonObject[]> {
  const { data, method } = await askApi(app, `${path}${path.includes('?') ? '&' : '?'}limit=500`);
  const [records] = Object.values<JsonObject[]>(data);
  expect(method.total_items).toBe(records?.length);
  return records ?? [];
}

const withId = (records: readonly JsonObject[], id: number) => records.filter((record) => record.id === id);

async function sport(id: number): Promise<Record<string, JsonObject[]>> {
  return (await askApi(app, `/v2/sports/${id}`)).data.sport;
}

/** The fields of a type of tables that name it. */
const typeNamed = (type_id: number, name: string) => ({ type_id, type_name: name, name });

describe('the built-in catalogue', () => {
  const flags = { important: 'yes', important_for_trader: 'yes', game_break: 'no' };
  const goalType = { name: 'Goal', sport_id: 5, type: 'team', for: 'own', ...flags };
  test.each<[string, number, JsonObject]>([
    ['/v2/sports', 5, { name: 'Soccer', url: 'soccer', active: 'yes', has_timer: 'yes' }],
    ['/v2/statuses', 34, { name: '2nd half', short_name: '2nd half', type: 'live' }],
    ['/v2/incidents', 413, goalType],
    [
      '/v2/standings-types?sport_id=5',
      9,
      {
        ...typeNamed(9, 'FIFA ranking'),
        sport_id: 5,
        columns: [
          { id: 8, code: 'pts', short_name: 'Pts', name: 'Points' },
          { id: 195, code: 'manual_rank', short_name: 'MR', name: 'Manual rank' },
        ],
      },
    ],
  ])('%s has %d', async (path, id, record) => {
    expect(withId(await list(path), id)).toEqual([{ id, ...record, ut: BUILT_IN_AT }]);
  });

  test('lists the rankings that only the provider publishes, and columns of every type', async () => {
    const types = await list('/v2/standings-types');
    expect(withId(types, 11)).toMatchObject([{ type_name: 'FIFA club ranking' }]);
    expect(withId(types, 2)).toMatchObject([typeNamed(2, 'League standings')]);
    for (const { columns } of types as { columns: JsonObject[] }[])
      for (const column of columns)
        expect(column).toMatchObject({ id: expect.any(Number), code: expect.any(String) });
  });

  test('lists everything of soccer that has a name', async () => {
    const soccer = await sport(5);
    const named = (id: number, name: string) => ({ id, short_name: name, name });
    expect(soccer.results).toContainEqual(named(411, 'Winner'));
    expect(soccer.stats).toEqual({ team: expect.any(Array), person: [] });
    expect((soccer.stats as unknown as { team: JsonObject[] }).team).toContainEqual(
      named(20, 'Shots on target'),
    );
    expect(soccer.details).toContainEqual({ id: 141, name: 'Attendance' });
    expect(withId(soccer.statuses ?? [], 34)).toHaveLength(1);
    // A status of another sport.
    expect((soccer.statuses ?? []).length).toBeLessThan((await list('/v2/statuses')).length);
    expect(withId(soccer.incidents ?? [], 413)).toHaveLength(1);
    expect(withId(soccer.standings_types ?? [], 2)).toHaveLength(1);
    expect(soccer.venues_details).toEqual([]);
  });
});

describe('a record of the provider', () => {
  test('overrides the built-in one field by field', async () => {
    listed('sport', '5', { id: '5', name: 'Football', more: 1 });
    const builtIn = { url: 'soccer', active: 'yes', has_timer: 'yes' };
    const sport = { id: 5, name: 'Football', ...builtIn, more: 1, ut: VISIBLE_AT };
    expect(await list('/v2/sports')).toEqual([sport]);
  });

  test('has the time in it, but none before it became visible here, with which `timestamp` is compared', async () => {
    listed('sport', '5', { ut: '1600000000' });
    listed('sport', '6', { ut: String(VISIBLE_AT + 60) });
    expect(await list('/v2/sports')).toMatchObject([{ ut: VISIBLE_AT }, { ut: VISIBLE_AT + 60 }]);
    listed('incident', '413', { name: 'Goal', ut: 1_564_132_929 });
    const changed = await list(`/v2/incidents?timestamp=${VISIBLE_AT}`);
    expect(changed).toMatchObject([{ id: 413, ut: VISIBLE_AT }]);
  });

  test('is listed by its numeric id', async () => {
    for (const id of ['11', '2']) listed('sport', id, { name: `Sport ${id}` });
    expect((await list('/v2/sports')).map(({ id, name }) => [id, name])).toEqual([
      [2, 'Sport 2'],
      [5, 'Soccer'],
      [11, 'Sport 11'],
    ]);
  });

  test('of an area has its code and its parent as text', async () => {
    listed('area', '1', { name: 'North', area_code: 7, parent_area_id: 99 });
    listed('area', '999999', { name: 'South', area_code: null, parent_area_id: null });
    const areas = await list('/v2/areas');
    expect(withId(areas, 1)).toMatchObject([{ area_code: '7', parent_area_id: '99' }]);
    expect(withId(areas, 999_999)).toMatchObject([{ area_code: '', parent_area_id: '' }]);
  });

  test('of a type of tables has the names of both the spec and the provider', async () => {
    listed('standings_type', '66', { id: 66, name: 'By id' }, '1');
    const columns = [{ id: 1, code: 'mp', short_name: 'MP', more: 2 }];
    listed('standings_type', '67', { id: undefined, type_id: '67', type_name: 'By type', columns }, '1');
    expect(await list('/v2/standings-types?sport_id=1')).toEqual([
      { id: 66, ...typeNamed(66, 'By id'), columns: [], sport_id: 1, ut: VISIBLE_AT },
      { id: 67, ...typeNamed(67, 'By type'), columns, sport_id: 1, ut: VISIBLE_AT },
    ]);
  });

  test('of another sport shows the types and values of that sport', async () => {
    const own = {
      name: 'Basketball',
      results: [{ id: 1 }],
      stats: { team: [{ id: 2 }], person: [{ id: 3 }] },
      details: [{ id: 4 }],
    };
    listed('sport', '1', own);
    listed('incident', '900', { id: 900, name: 'Dunk', sport_id: 1 });
    expect(await sport(1)).toMatchObject({ ...own, statuses: [], standings_types: [], venues_details: [] });
    expect((await sport(1)).incidents?.map(({ name }) => name)).toEqual(['Dunk']);
    expect((await list('/v2/incidents?sport_id=1')).map(({ id }) => id)).toEqual([900]);
    expect(withId(await list('/v2/incidents?sport_id=5'), 900)).toEqual([]);
    expect(withId(await list('/v2/incidents'), 900)).toHaveLength(1);
    expect(await list('/v2/statuses?sport_id=1')).toEqual([]);
  });
});
