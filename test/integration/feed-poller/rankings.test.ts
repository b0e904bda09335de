import { expect, test } from 'vitest';
import { ANSWERS } from '#contract/rest/records.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { clients, startApi } from '../../support/api.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { JsonRecord } from './provider.ts';
import { Rig } from './support.ts';

const T0 = 1_800_000_000;
const NATIONAL = 39_001;
const CLUBS = 39_002;

/** Returns a ranking as the provider answers it; its rows also have fields that nothing reads. */
function ranking(
  id: number,
  type: readonly [number, string],
  ut: number,
  points: readonly number[],
): JsonRecord {
  return {
    id,
    name: `${type[1]} - World`,
    sport_id: 5,
    sport_name: 'Soccer',
    type_id: type[0],
    type_name: type[1],
    subtype: 'standings',
    object_id: 5,
    object_type: 'sport',
    object_name: 'Soccer',
    item_status: 'active',
    reset_group_rank: 'yes',
    competition_id: null,
    season_id: null,
    stage_id: null,
    ut,
    columns: [],
    groups: [
      {
        id: 1,
        name: 'All',
        ut,
        zones: [{ id: 3, name: 'Seeded', colour: '#002400' }],
        corrections: [],
        participants: points.map((value, at) => ({
          id: 900 + at,
          name: `Team ${at}`,
          participant_slug: `team-${at},${900 + at}`,
          area_id: 7,
          area_name: 'Somewhere',
          rank: at + 1,
          last_rank: at + 2,
          zone_name: '',
          more: { of: ['it'] },
          subparticipant_id: '',
          subparticipant_name: '',
          subparticipant_slug: '',
          columns: [{ id: 8, name: 'Points', short_name: 'Pts', code: 'pts', value }],
        })),
      },
    ],
  };
}

const national = (ut: number, points: readonly number[]) =>
  ranking(NATIONAL, [9, 'FIFA ranking'], ut, points);
const clubs = (ut: number, points: readonly number[]) =>
  ranking(CLUBS, [11, 'FIFA club ranking'], ut, points);

/** Returns the ranking as our contract writes it: group ids as text, 0 for no competition, and all fields of a row. */
function written(table: JsonRecord | undefined): unknown {
  return JSON.parse(JSON.stringify(table), (key, value) => {
    if (key === 'participants') return value.map((row: JsonRecord) => ({ ...row, participant_acronym: '' }));
    if (/^(competition|season|stage)_id$/.test(key)) return value ?? 0;
    return key === 'groups' ? value.map((group: JsonRecord) => ({ ...group, id: String(group.id) })) : value;
  });
}

test('serves the provider’s rankings unchanged, and their changes', async () => {
  const rig = await Rig.create(['feed-poller', 'api']);
  const { provider, pipeline } = rig;
  provider.now = () => T0;
  provider.pageSize = 2;
  provider.standings.set(1, { ...national(T0 - 50, []), id: 1, type_id: 2, type_name: 'League standings' });
  const league: JsonRecord = {
    ...national(T0 - 50, [3]),
    id: 2,
    type_id: 2,
    object_type: 'season',
    object_id: 460,
  };
  const groups = (league.groups as JsonRecord[]).map((group) => ({ ...group, corrections: [-6] }));
  provider.standings.set(2, { ...league, groups });
  provider.standings.set(NATIONAL, national(T0 - 50, [1_800, 1_700]));
  provider.standings.set(CLUBS, clubs(T0 - 50, [500]));
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

  expect(await served(NATIONAL)).toEqual(written(provider.standings.get(NATIONAL)));
  expect(await served(CLUBS)).toEqual(written(provider.standings.get(CLUBS)));
  expect(ANSWERS.standings.safeParse(await served(NATIONAL)).error?.issues).toBeUndefined();
  const list = await until('the list has both', async () => {
    const found = await api.api(`/v2/standings?sport_id=5&token=${token}`);
    return found.data.standings_list.length >= 2 ? found : undefined;
  });
  expect(list.data.standings_list).toMatchObject([
    { id: NATIONAL, name: 'FIFA ranking - World', type_id: 9, object_type: 'sport', object_id: 5 },
    { id: CLUBS, name: 'FIFA club ranking - World', type_id: 11, object_name: 'Soccer', ut: T0 - 50 },
  ]);
  for (const entry of list.data.standings_list) {
    expect(ANSWERS.standingsEntry.safeParse(entry).error?.issues).toBeUndefined();
  }
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
    { corrections: [{ value: '-6' }], rows: [{ id: 900, rank: 1, pts: 3 }] },
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
  provider.standings.set(NATIONAL, national(T0 - 10, [1_900, 1_650, 3]));
  await untilTrue('the change is served', async () => {
    const { groups } = await served(NATIONAL);
    return groups[0].participants.length === 3;
  });
  expect(await served(NATIONAL)).toEqual(written(provider.standings.get(NATIONAL)));
  // The counter changes after the acknowledgement, which may be after the change is served.
  const published = (): Promise<number> => poller.metric('touchline_poller_rankings_total');
  await untilTrue('the change is counted', async () => (await published()) >= 3);
  expect(await published()).toBe(3);
});
