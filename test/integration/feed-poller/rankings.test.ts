import { expect, test } from 'vitest';
import { ANSWERS } from '#contract/rest/records.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { ranking } from '#views/testing/ranking.ts';
import { clients, startApi } from '../../support/api.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { JsonRecord } from './provider.ts';
import { Rig } from './support.ts';

const T0 = 1_800_000_000;
const NATIONAL = 39_001;
const CLUBS = 39_002;

const table = (id: number, of: 'teams' | 'clubs', changes: JsonRecord = {}): JsonRecord => ({
  ...ranking(id, of),
  ut: T0 - 50,
  ...changes,
});

test('serves the provider’s rankings unchanged, and their changes', async () => {
  const rig = await Rig.create(['feed-poller', 'api']);
  const { provider, pipeline } = rig;
  provider.now = () => T0;
  provider.pageSize = 2;
  const national = table(NATIONAL, 'teams');
  const [all] = national.groups as (JsonRecord & { participants: JsonRecord[] })[];
  const groups = [{ ...all, corrections: [-6] }];
  provider.standings.set(1, table(1, 'teams', { type_id: 2 }));
  provider.standings.set(2, table(2, 'teams', { type_id: 2, object_type: 'season', object_id: 460, groups }));
  provider.standings.set(NATIONAL, national);
  provider.standings.set(CLUBS, table(CLUBS, 'clubs'));
  const credentials = await clients(pipeline.connection, 'add --name everything');
  const [api, narrow] = await Promise.all([
    startApi(pipeline.connection, temporaryFolder()),
    clients(pipeline.connection, 'add --id 41 --competitions 46'),
  ]);
  const poller = rig.startPoller({ STANDINGS_PERIOD_MS: '200' });
  await poller.ready();
  const token = await api.token(credentials);
  const served = (id: number) =>
    until(`ranking ${id} is served`, async () => {
      const response = await api.get(`/v2/standings/${id}?token=${token}`);
      return response.ok ? JSON.parse(await response.text()).api.data.standings : undefined;
    });

  expect(await served(NATIONAL)).toMatchObject(national);
  expect(await served(CLUBS)).toMatchObject(table(CLUBS, 'clubs'));
  expect(ANSWERS.standings.safeParse(await served(NATIONAL)).error?.issues).toBeUndefined();
  const list = await until('the list has both', async () => {
    const found = await api.api(`/v2/standings?sport_id=5&token=${token}`);
    return found.data.standings_list.length >= 2 ? found : undefined;
  });
  const { groups: _, ...entry } = national;
  expect(list.data.standings_list).toMatchObject([entry, { id: CLUBS, type_id: 11, ut: T0 - 50 }]);
  const ofSport = await api.api(`/v2/standings?object_type=sport&object_id=5&token=${token}`);
  expect(ofSport.method.total_items).toBe(2);
  await api.api(`/v2/standings/1?token=${token}`, 404);
  const some = await api.token(narrow);
  expect((await api.api(`/v2/standings?token=${some}`)).data.standings_list).toEqual([]);
  await api.api(`/v2/standings/${NATIONAL}?token=${some}`, 403);

  // A league table of a followed season is no answer of ours: its corrections are kept to compare ours with it.
  const leagues = async () =>
    (await rig.values('catalogue')).filter(({ kind }) => kind === 'provider_league');
  const [{ id, parent_id, provider_league }] = (await until('the league table is kept', async () => {
    const found = await leagues();
    return found.length > 0 ? found : undefined;
  })) as [CatalogueRecord];
  expect([id, parent_id]).toEqual(['2', '460']);
  expect(provider_league?.groups).toMatchObject([
    { corrections: [{ value: '-6' }], rows: [{ id: 60_000 }, {}, {}] },
  ]);
  expect(await api.service.metrics()).toMatch(/touchline_api_table_differences\{.*kind="points".*\} 0/);
  await api.api(`/v2/standings/2?token=${token}`, 404);

  // An unchanged ranking is published once, however often it is read.
  const reads = (id: number) => provider.count(`/v2/standings/${id}`);
  const before = reads(NATIONAL);
  await untilTrue('it is read again', () => reads(NATIONAL) > before + 2);
  expect(await rig.values('provider-standings')).toHaveLength(2);
  expect(reads(1)).toBe(0);

  // The catalogue entry keeps its time: only the rows change.
  const [moved, ...others] = all?.participants ?? [];
  const changed = [{ ...all, participants: [{ ...moved, last_rank: 4 }, ...others] }];
  provider.standings.set(NATIONAL, { ...national, ut: T0 - 10, groups: changed });
  await untilTrue('the change is served', async () => (await served(NATIONAL)).ut === T0 - 10);
  expect(await served(NATIONAL)).toMatchObject({ groups: changed });
  // The counter changes after the acknowledgement, which may be after the change is served.
  const published = (): Promise<number> => poller.metric('touchline_poller_rankings_total');
  await untilTrue('the change is counted', async () => (await published()) >= 3);
  expect(await published()).toBe(3);
});
