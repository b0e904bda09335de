import { expect, test } from 'vitest';
import { UNKNOWN_NODE } from '#contract/rest/tree.ts';
import { eventMessage } from '#ingestion/testing/messages.ts';
import type { JsonObject } from '#json/values.ts';
import { catalogueRecord, tableRecord } from '../../testing/records.ts';
import { askApi, ViewsWorld } from '../../testing/world.ts';

/** A cup with a knock-out final and a group stage that is none. `final`: more fields of the final's record. */
async function cup(final: JsonObject = {}) {
  const world = new ViewsWorld();
  const named = (kind: string, id: number, parent: number | null, record: JsonObject = {}) =>
    catalogueRecord(kind, id, parent, { id, name: `${kind} ${id}`, ...record });
  const table = (id: number, stage: number) => {
    const of = { object_type: 'stage', object_id: stage, competition_id: 1, season_id: 2 };
    return tableRecord(id, of);
  };
  world.give(
    named('competition', 1, null),
    named('season', 2, 1, { actual: 'yes' }),
    named('stage', 3, 2, { has_brackets: 'no', show_standings: 'no' }),
    named('stage', 4, 2, { has_brackets: 'yes', show_standings: 'no', ...final }),
    named('group', 5, 3),
    named('group', 6, 3),
    table(70, 3),
    table(71, 4),
  );
  const app = await world.server();
  const ask = (url: string) => askApi(app, url);
  return { world, ask, status: async (url: string) => (await app.inject(`${url}?token=t`)).statusCode };
}

const idsOf = (records: readonly { id: unknown }[]) => records.map(({ id }) => id);

test('shows competitions down to their stages', async () => {
  const { world, ask } = await cup();
  const [competition] = (await ask('/v2/competitions')).data.competitions;
  expect(idsOf(competition.seasons)).toEqual([2]);
  expect(idsOf(competition.seasons[0].stages)).toEqual([3, 4]);
  // A stage known only from an event.
  world.play(eventMessage({}, { competition_id: 1, season_id: 2, stage_id: 9 }));
  const [again] = (await ask('/v2/competitions')).data.competitions;
  expect(again.seasons[0].stages).toContainEqual({ ...UNKNOWN_NODE.stage, id: 9 });
  // A competition known only from an event, whose sport it has.
  world.play(eventMessage({}, { competition_id: 7, season_id: 8, stage_id: 9, group_id: 6 }));
  const found = (await ask('/v2/competitions')).data.competitions.find(({ id }: { id: number }) => id === 7);
  const sport = { sport_id: 5, sport_name: 'Soccer' };
  expect(found).toEqual({
    ...UNKNOWN_NODE.competition,
    ...sport,
    id: 7,
    seasons: [{ ...UNKNOWN_NODE.season, id: 8, stages: [{ ...UNKNOWN_NODE.stage, id: 9 }] }],
  });
});

test('shows a name that arrived after the event', async () => {
  const { world, ask } = await cup();
  world.play(eventMessage({}, { id: 5, competition_id: 1, season_id: 2, stage_id: 3 }));
  const urls = ['/v2/events/5', '/v2/livescore?date_from=2026-08-15', '/v2/competitions'];
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"competition 1"');
  world.give(catalogueRecord('competition', 1, null, { id: 1, name: 'First' }, 1_800_000_000));
  for (const url of urls) expect(JSON.stringify(await ask(url))).toContain('"name":"First"');
});

test('shows stages down to their groups', async () => {
  const { ask } = await cup();
  const { stages } = (await ask('/v2/stages?season_id=2')).data.competitions[0].seasons[0];
  expect(
    stages.map(({ id, groups }: { id: number; groups: { id: number }[] }) => [id, idsOf(groups)]),
  ).toEqual([
    [3, [5, 6]],
    [4, []],
  ]);
});

test('hides the table of a knock-out stage, unless the catalogue shows it', async () => {
  const season = '/v2/standings?object_type=season&object_id=2';
  const { ask, status, world } = await cup();
  expect(idsOf((await ask(season)).data.standings_list)).toEqual([70]);
  expect([await status('/v2/standings/70'), await status('/v2/standings/71')]).toEqual([200, 404]);
  expect(world.views.standings.ofSeason(2).map(({ standings_id }) => standings_id)).toEqual([70]);
  const shown = await cup({ show_standings: 'yes' });
  expect(idsOf((await shown.ask(season)).data.standings_list)).toEqual([70, 71]);
  expect(await shown.status('/v2/standings/71')).toBe(200);
});
