/** The tables of a small season, from the provider's messages to the REST answers. */
import { beforeAll, expect, test } from 'vitest';
import { ANSWERS } from '#contract/rest/records.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, clients, startApi } from '../../support/api.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';
import { until } from '../../support/poll.ts';
import { publishValues } from '../../support/publish-values.ts';
import { fixtures, reportOf, seasonMessages } from '../../support/standings/made-up-season.ts';
import { eventOf, FIRST_HALF } from '../../support/standings/provider-messages.ts';
import { TablesPipeline } from '../../support/standings/tables-pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [COMPETITION, SEASON, STAGE] = [1_658, 29_848, 85_270];
const GROUPS = [701, 702];
const LIVE = 244;
const LEAGUE = 2;

type Cell = { readonly id: number; readonly code: string; readonly value: number | string };
type Row = { readonly id: number; readonly name: string; readonly rank: number; readonly columns: Cell[] };
type Group = { readonly id: string; readonly name: string; readonly participants: Row[] };
type Table = Readonly<Record<string, unknown>> & { readonly type_id: number; readonly groups: Group[] };
type Type = { readonly type_id: number; readonly columns: readonly Cell[] };
type Entry = Readonly<Record<string, unknown>> & { readonly id: number; readonly type_id: number };

let run: TablesPipeline;
let api: ApiReplica;
let token: string;
let place: PipelineConnection;
const season = GROUPS.map((group, at) =>
  fixtures({ competition: COMPETITION, season: SEASON, stage: STAGE, group }, 4, 500 + at * 100),
);
/** The last match of the first group, which has not begun. */
const last = season[0]?.at(-1);

beforeAll(async () => {
  run = await TablesPipeline.create(backbone());
  place = run.pipeline.place;
  run.pipeline.startProcessor();
  run.startTables();
  await run.feed(
    season.flatMap((group, at) =>
      seasonMessages(
        group.filter((one) => one !== last),
        at + 1,
      ),
    ),
  );
  const credentials = await clients(place, 'add --name everything');
  await run.settled();
  api = await startApi(place, temporaryFolder());
  token = await api.token(credentials);
});

const list = async (query: string): Promise<Entry[]> =>
  (await api.api(`/v2/standings?${query}&token=${token}`)).data.standings_list;
const ofSeason = () => list(`object_type=season&object_id=${SEASON}`);
const table = async (id: number): Promise<Table> =>
  (await api.api(`/v2/standings/${id}?token=${token}`)).data.standings;
const ofType = async (type: number): Promise<Table> => {
  const entry = (await ofSeason()).find(({ type_id }) => type_id === type);
  return table(entry?.id ?? 0);
};
const servedTypes = async (): Promise<Type[]> =>
  (await api.api(`/v2/standings-types?sport_id=5&limit=50&token=${token}`)).data.standings_types;
const cellOf = (of: Table, team: number, code: string) =>
  of.groups[0]?.participants.find(({ id }) => id === team)?.columns.find((one) => one.code === code)?.value;

/** Publishes catalogue records, as the poller does. */
function publishCatalogue(records: readonly Omit<CatalogueRecord, 'ut' | 'body'>[], names: string[]) {
  const ut = 1_790_000_000;
  return publishValues(
    place,
    'catalogue',
    records.map((record, at) => {
      const body = JSON.stringify({ id: Number(record.id), name: names[at], area_name: 'Europe', ut });
      return { key: `${record.kind}/${record.id}`, value: { ...record, ut, body } };
    }),
  );
}

test('lists and serves every derived type of table of a season and its stage', async () => {
  const entries = await ofSeason();
  const kinds = [...TABLE_TYPES.values()].map(({ type_id }) => type_id ?? 0).sort((a, b) => a - b);
  expect(entries.map(({ type_id }) => type_id).sort((a, b) => a - b)).toEqual(kinds);
  expect(new Set(entries.map(({ object_type }) => object_type))).toEqual(new Set(['season', 'stage']));
  const ofStage = await list(`object_type=stage&object_id=${STAGE}`);
  expect(ofStage).toEqual(entries.filter(({ object_type }) => object_type === 'stage'));
  const paged = await Promise.all([1, 2].map((page) => list(`limit=10&page=${page}`)));
  expect(paged.flat()).toEqual(entries);

  const types = await servedTypes();
  for (const entry of entries) {
    expect(ANSWERS.standingsEntry.safeParse(entry).error?.issues ?? []).toEqual([]);
    const shown = await table(entry.id);
    expect(ANSWERS.standings.safeParse(shown).error?.issues ?? [], String(entry.type_name)).toEqual([]);
    const { id, type_id, type_name, object_type, object_id, subtype, name } = entry;
    expect(shown).toMatchObject({
      id,
      type_id,
      type_name,
      object_type,
      object_id,
      subtype,
      name,
      columns: [],
    });
    expect(shown.groups).toHaveLength(object_type === 'stage' ? 2 : 1);
    const type = types.find((one) => one.type_id === type_id);
    // Some types have the same code twice, with different ids.
    const known = new Set(type?.columns.map(({ code, id: column }) => `${code} ${column}`));
    for (const { participants } of shown.groups) {
      expect(participants.length, String(type_name)).toBeGreaterThan(0);
      for (const { columns } of participants) {
        expect(columns.length).toBeGreaterThan(0);
        for (const { code, id: column } of columns) expect(known).toContain(`${code} ${column}`);
      }
    }
  }
});

test('names tables, objects and groups by the catalogue as soon as it has their names', async () => {
  const before = await ofType(LEAGUE);
  expect([before.name, before.object_name]).toEqual(['League standings', '']);
  expect(before.groups.map(({ id, name }) => [id, name])).toEqual(GROUPS.map((id) => [String(id), '']));
  await publishCatalogue(
    [
      { kind: 'competition', id: String(COMPETITION), parent_id: null },
      { kind: 'season', id: String(SEASON), parent_id: String(COMPETITION) },
      { kind: 'stage', id: String(STAGE), parent_id: String(SEASON) },
      ...GROUPS.map((id) => ({ kind: 'group', id: String(id), parent_id: String(STAGE) })),
    ],
    ['UEFA Champions League', 'UEFA Champions League 2017/18', 'Group Stage', 'Group A', 'Group B'],
  );
  const named = await until('the names are known', async () => {
    const league = await ofType(LEAGUE);
    return league.groups[1]?.name === 'Group B' ? league : undefined;
  });
  const name = 'League standings - Europe, UEFA Champions League 2017/18, stage: Group Stage';
  expect(named).toMatchObject({ name, object_name: 'Group Stage', sport_name: 'Soccer' });
  expect(named.groups.map((group) => group.name)).toEqual(['Group A', 'Group B']);
  expect({ ...named, name: before.name, object_name: '', groups: null }).toEqual({
    ...before,
    groups: null,
  });
  // The area of a competition is not that of its teams, so rows stay the same.
  expect(named.groups.map(({ participants }) => participants)).toEqual(
    before.groups.map(({ participants }) => participants),
  );
  const scorers = (await ofSeason()).find(({ type_id }) => type_id === 6);
  expect(scorers).toMatchObject({
    name: 'Top scorers - Europe, UEFA Champions League 2017/18',
    object_name: 'UEFA Champions League 2017/18',
  });
  expect((await ofSeason()).find(({ type_id }) => type_id === LEAGUE)).toMatchObject({ name });
});

test('changes only the live table with a goal', async () => {
  if (last === undefined) throw new Error('there is no match');
  const [home, away] = [last.home.id, last.away.id];
  const league = await ofType(LEAGUE);
  const points = Number(cellOf(league, home, 'pts'));
  const playing = (score: readonly [number, number], minute: number) =>
    run.feed([eventOf(reportOf(last, minute, FIRST_HALF, { 2: score }))]);
  const live = (wanted: number) =>
    until(`${wanted} points are in the live table`, async () => {
      const shown = await ofType(LIVE);
      return cellOf(shown, home, 'pts') === wanted ? shown : undefined;
    });
  await playing([0, 0], 1);
  const drawn = await live(points + 1);
  expect(cellOf(drawn, home, 'is_playing')).toBe('yes');
  expect(cellOf(drawn, away, 'event_id')).toBe(last.event);
  await playing([1, 0], 20);
  const ahead = await live(points + 3);
  expect(['home_result', 'away_result'].map((code) => Number(cellOf(ahead, home, code)))).toEqual([1, 0]);
  expect(cellOf(ahead, away, 'pts')).toBe(cellOf(league, away, 'pts'));
  expect(await ofType(LEAGUE)).toEqual(league);
  expect(ANSWERS.standings.safeParse(ahead).error?.issues ?? []).toEqual([]);
  // The goal is cancelled.
  await playing([0, 0], 22);
  expect((await live(points + 1)).groups).toEqual(drawn.groups);
});
