/** Lists of the tree and of tables by query and contract, over two competitions of two sports and areas. */

import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { JsonObject } from '#json/values.ts';
import { catalogueRecord, providerTable, tableRecord } from '../../testing/records.ts';
import { EVERYTHING, RECEIVED_AT, ViewsWorld } from '../../testing/world.ts';

let world: ViewsWorld;
let app: FastifyInstance;

const named = (kind: string, id: number, parent: number | null, record: JsonObject = {}) =>
  catalogueRecord(kind, id, parent, { id, name: `${kind} ${id}`, ...record });

/** Returns a derived table, without the names around it. */
function table(
  id: number,
  object_type: string,
  object_id: number,
  competition_id: number,
  season_id: number,
) {
  const names = { name: 'League standings', type_name: 'League standings', ut: 1_700_000_500 };
  const groups = [{ id: '4', participants: [{ id: 1, name: 'A', rank: 1 }] }];
  return tableRecord(id, { object_type, object_id, competition_id, season_id, ...names }, groups);
}

beforeEach(async () => {
  world = new ViewsWorld();
  const one = { ...EVERYTHING, competitions: new Set([1]) };
  app = await world.server({ t: EVERYTHING, one });
  world.give(
    named('competition', 1, null, { sport_id: 5, area_id: '10', area_name: 'Poland', area_type: 'country' }),
    named('competition', 7, null, {
      sport_id: 1,
      area_id: 20,
      area_name: 'Europe',
      area_type: 'international',
    }),
    named('season', 2, 1),
    named('season', 8, 7),
    named('stage', 3, 2),
    named('stage', 9, 8),
    // Its season is unknown.
    named('stage', 55, null),
    named('group', 4, 3),
    table(70, 'season', 2, 1, 2),
    table(71, 'season', 8, 7, 8),
    table(72, 'stage', 3, 1, 2),
  );
});

async function ask(path: string, token = 't') {
  const answer = await app.inject(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
  return { status: answer.statusCode, api: answer.json().api };
}

const idsOf = (records: readonly JsonObject[]) => records.map(({ id }) => id);

async function competitions(query: string, token?: string) {
  const { api } = await ask(`/v2/competitions${query}`, token);
  expect(api.method.total_items).toBe(api.data.competitions.length);
  return idsOf(api.data.competitions);
}

async function stages(query: string, token?: string) {
  const { api } = await ask(`/v2/stages${query}`, token);
  const all = api.data.competitions.flatMap(({ seasons }: { seasons: { stages: JsonObject[] }[] }) =>
    seasons.flatMap((season) => idsOf(season.stages)),
  );
  expect(api.method.total_items).toBe(all.length);
  return all.sort((a: number, b: number) => a - b);
}

test.each<[string, string, readonly number[]]>([
  ['', 't', [1, 7]],
  ['', 'one', [1]],
  ['?sport_id=1', 't', [7]],
  ['?sport_id=5', 't', [1]],
  ['?area_id=10', 't', [1]],
  ['?area_id=20', 't', [7]],
  ['?area_id=20&sport_id=5', 't', []],
])('lists the competitions of %j for %s', async (query, token, ids) => {
  expect(await competitions(query, token)).toEqual(ids);
});

test.each<[string, string, readonly number[]]>([
  ['', 't', [3, 9, 55]],
  ['', 'one', [3]],
  ['?sport_id=1', 't', [9]],
  ['?sport_id=5', 't', [3]],
  ['?season_id=8', 't', [9]],
  ['?season_id=2', 'one', [3]],
])('lists the stages of %j for %s', async (query, token, ids) => {
  expect(await stages(query, token)).toEqual(ids);
});

test('refuses the stages of a season outside the contract', async () => {
  expect((await ask('/v2/stages?season_id=8', 'one')).status).toBe(403);
});

test('lists a competition that arrived after the previous query', async () => {
  expect(await competitions('')).toEqual([1, 7]);
  world.give(named('competition', 5, null));
  expect(await competitions('')).toEqual([1, 5, 7]);
  world.play(eventMessage({}, { competition_id: 6 }));
  expect(await competitions('')).toEqual([1, 5, 6, 7]);
});

describe('tables', () => {
  test('are shown to clients whose contract covers their competition', async () => {
    const statuses = [70, 71, 72, 99].map(async (id) => (await ask(`/v2/standings/${id}`, 'one')).status);
    expect(await Promise.all(statuses)).toEqual([200, 403, 200, 404]);
  });

  test('have the provider’s own table beside each group that it covers, as it was read last', async () => {
    const groups = async (id: number) => (await ask(`/v2/standings/${id}`)).api.data.standings.groups;
    const provider = async () => (await groups(70))[0].provider;
    const participants = [
      { id: 1, rank: 1 },
      { id: 5, name: 'E', rank: 2 },
    ];
    const give = (correction: number, ut: number) => {
      const theirs = providerTable(2, 0, { id: 4, participants, corrections: [correction] });
      world.give(catalogueRecord('provider_league', 40, 2, theirs, ut));
    };
    expect(await provider()).toBeUndefined();
    give(-6, 1);
    expect(await provider()).toEqual({
      corrections: [{ value: '-6' }],
      differences: [{ participant_id: 5, name: 'E', kind: 'team', ours: null, theirs: 2 }],
    });
    expect((await groups(71))[0]).not.toHaveProperty('provider');
    give(-3, 2);
    expect(await provider()).toMatchObject({ corrections: [{ value: '-3' }] });
  });

  test('have the names of season, stage and groups, and the time at which they became visible', async () => {
    const entries = (await ask('/v2/standings?object_type=season&object_id=2')).api.data.standings_list;
    const name = 'League standings - Poland, season 2';
    expect(entries).toMatchObject([
      { id: 70, name, object_name: 'season 2', sport_name: 'Soccer', ut: RECEIVED_AT / 1_000 - 0.5 },
      { id: 72, name: `${name}, stage: stage 3`, object_name: 'stage 3' },
    ]);
  });

  test.each([
    [70, { area_id: 10, area_name: 'Poland' }],
    // Its teams come from several areas.
    [71, { area_id: 0, area_name: '' }],
  ])('%d shows the area of its teams if all come from one', async (id, area) => {
    const { standings } = (await ask(`/v2/standings/${id}`)).api.data;
    expect(standings.ut).toBe(1_700_000_500);
    expect(standings.groups[0].participants).toMatchObject([{ id: 1, ...area }]);
  });

  test('have the current names of their groups', async () => {
    const group = async () => (await ask('/v2/standings/72')).api.data.standings.groups[0];
    expect(await group()).toMatchObject({ id: '4', name: 'group 4', ut: 1_700_000_000 });
    world.give(named('group', 4, 3, { name: 'Group A' }));
    expect(await group()).toMatchObject({ name: 'Group A' });
  });
});

test('takes the name of a node from events where no catalogue is, until the catalogue has a record', async () => {
  const event = { competition_id: 40, season_id: 41, stage_id: 42, group_id: 43 };
  const names = { competition_name: 'Own League', season_name: '2026/27', stage_name: 'Regular Season' };
  const play = (at: number, fields: object) =>
    world.play(eventMessage({ id: at, ut: 1_790_000_000 + at }, { id: 900, ...event, ...fields }));
  const shown = async () => {
    const { api } = await ask('/v2/events?season_id=41');
    const [competition] = api.data.competitions;
    const [season] = competition.seasons;
    const tree = [competition.name, season.name, season.stages[0].name, season.stages[0].groups[0].name];
    const { competition: c, season: s, stage } = world.views.levelNames({ ...event });
    expect([c ?? '', s ?? '', stage ?? '']).toEqual(tree.slice(0, 3));
    return tree;
  };
  play(0, {});
  expect(await shown()).toEqual(['', '', '', '']);
  play(100, names);
  expect(await shown()).toEqual(['Own League', '2026/27', 'Regular Season', '']);
  play(200, { ...names, stage_name: 'Play-offs' });
  expect(await shown()).toEqual(['Own League', '2026/27', 'Play-offs', '']);
  world.give(named('season', 41, 40, { ut: -1 }));
  play(300, { ...names, season_name: 'other' });
  expect(await shown()).toEqual(['Own League', 'season 41', 'Regular Season', '']);
});
