/** Tests the types of a running system's answers, with a tournament from a poller and a league season from webhooks. */
import { existsSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { Timeline } from '../../../services/simulator/rest/timeline.ts';
import { type ApiReplica, received } from '../../support/api.ts';
import { connectionEnv } from '../../support/environment.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { type Provider, System, startProvider } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { strangers } from './types/allowed.ts';
import { kindsOf, PUBLISHED, shownKinds } from './types/shown.ts';
import { type Seen, seeAnswer } from './types/walk.ts';

const TOURNAMENT = readDataset('world-cup-2018');
const LEAGUE = readDataset('england-2017-18');
const SEASONS = [TOURNAMENT, LEAGUE].map(({ competition }) => competition.season.id);
/** Number of messages published at once. */
const AT_ONCE = 2_000;
/** The feed repeats a message as the provider wrote it, odd forms of fields too: here it writes none. */
const FAULTS = 'some,odd_field=0';
/** One of this number of matches is requested separately. */
const EVERY = 16;

let api: ApiReplica;
let simulator: Provider;
let token: string;

beforeAll(async () => {
  const system = await System.create();
  const { pipeline } = system;
  const { connection } = pipeline;
  const env = connectionEnv(connection);
  const tables = startService('standings-processor', env);
  simulator = await startProvider({
    DATASET: TOURNAMENT.competition.dataset,
    DURATION: '20',
    FAULTS,
    KEEP_ALIVE_EVERY: '0',
    CLOCK_EVERY: '0',
  });
  system.startPoller(simulator);
  const matchSettings = { seed: '1', faults: parseFaults(FAULTS), keepAliveEvery: 0, clockEvery: 0 };
  const season = new Timeline(LEAGUE, matchSettings);
  const feed = await pipeline.openFeed();
  const messages = [...season.between(season.startsAt, season.endsAt)];
  for (let at = 0; at < messages.length; at += AT_ONCE) {
    await feed.send(received(...messages.slice(at, at + AT_ONCE)));
  }
  await feed.close();
  await tables.ready();
  const client = await system.addClient('types');
  [api] = await Promise.all([
    system.startApi(temporaryFolder()),
    simulator.service.logged('all was played', 300_000),
  ]);
  token = await api.token(`client_id ${client.id} secret_key ${client.secret}`);
  await untilTrue('all is over', async () => (await unfinished()) === 0, 300_000);
});

async function unfinished(): Promise<number> {
  const matches = TOURNAMENT.matches.length + LEAGUE.matches.length;
  const over = await Promise.all(
    SEASONS.map(
      async (season) => (await get(`/v2/events?season_id=${season}&status_type=finished&limit=5`)).method,
    ),
  );
  return matches - over.reduce((sum, { total_items }) => sum + total_items, 0);
}

async function get(path: string) {
  return api.api(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
}

/** Returns every path to request. */
async function paths(): Promise<string[]> {
  const tables: string[] = [];
  for (const season of SEASONS) {
    const { data } = await get(`/v2/standings?object_type=season&object_id=${season}`);
    tables.push(...data.standings_list.map(({ id }: { id: number }) => `/v2/standings/${id}`));
  }
  const matches = [TOURNAMENT, LEAGUE].flatMap(({ matches }) => matches.map(({ id }) => id));
  const some = matches.filter((_, at) => at % EVERY === 0);
  return [
    'sports',
    'sports/5',
    'areas',
    'languages',
    'statuses',
    'incidents',
    'standings-types',
    'standings',
    'competitions',
    'stages',
    'incidents?sport_id=5',
    'basic-livescore?timestamp=1',
    'feed',
    'livescore?date_from=2018-06-14&date_to=2018-06-30',
    'livescore?date_from=2018-04-01&date_to=2018-04-30',
    ...SEASONS.flatMap((season) => [1, 2, 3].map((page) => `events?season_id=${season}&page=${page}`)),
    ...SEASONS.map((season) => `events-simple?season_id=${season}`),
    ...some.flatMap((id) => [
      `events/${id}`,
      `events/${id}/incidents?deleted=no`,
      `events/${id}/incidents?deleted=yes`,
      `events/${id}/important-incidents`,
      `feed/${id}`,
    ]),
  ]
    .map((path) => `/v2/${path}`)
    .concat(tables);
}

test('every field has a type that the specification or the provider shows, or is on the list with its reason', async () => {
  const seen: Seen = new Map();
  const all = await paths();
  expect(all.length).toBeGreaterThan(0);
  for (const path of all) {
    const answer = await get(path);
    seeAnswer(seen, answer.method.name, answer);
  }
  expect(strangers(seen)).toEqual([]);
});

test('the simulator writes the same types', async () => {
  const seen: Seen = new Map();
  const ask = async (path: string) => {
    const response = await fetch(simulator.url + path);
    const { api } = JSON.parse(await response.text());
    if (api.error === undefined) seeAnswer(seen, api.method.name, api);
    return api;
  };
  const { id, secret } = simulator.client;
  const granted = await ask(`/v2/oauth?client_id=${id}&secret_key=${encodeURIComponent(secret)}`);
  const own = (await paths()).filter((path) => !/standings|season_id=32017|32\d{4}|sports\/1/.test(path));
  for (const path of own) {
    await ask(`${path}${path.includes('?') ? '&' : '?'}token=${granted.data.token}`);
  }
  expect(seen.size).toBeGreaterThan(0);
  expect(strangers(seen)).toEqual([]);
});

test.runIf(existsSync(PUBLISHED))('what the provider shows is recorded as it is (../shared/provider)', () => {
  expect(shownKinds()).toEqual(kindsOf(PUBLISHED));
});
