import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { createTimeline } from '../../../services/simulator/rest/timeline.ts';
import type { ApiReplica, ClientCredentials } from '../../support/api.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { DATASET, System, startSimulator } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { essence } from './essence.ts';
import { FaultyProxy, MANY_PROXY_FAULTS, NO_PROXY_FAULTS, type ProxyFault } from './faulty-proxy.ts';

const FULL = process.env.CHAIN === 'full';
const MATCHES = FULL ? DATASET.matches.length : 6;
/** Duration of the play in seconds, and number of kills of an api replica meanwhile. */
const SECONDS = FULL ? 240 : 12;
const KILLS = FULL ? 6 : 2;
const DEADLINE_MS = FULL ? 600_000 : undefined;

const SEED = '1';
const FAULTS = 'many';
/** Another delivery of the same messages: the content does not depend on it. */
const OTHER_DELIVERY = 'many,delay=0.3,duplicate=0.1,reorder=0.2,drop=0.2';

/**
 * Settings of the pollers. The source's clock is that of this machine, and its matches are played faster than the
 * default periods allow.
 */
const POLLING = {
  FEED_SETTLE_SECONDS: '20',
  // The source has just started: avoids a day of empty windows.
  FEED_INITIAL_SECONDS: '900',
  FEED_PERIOD_MS: FULL ? '1000' : '300',
};

/**
 * Plays matches with many faults to a system with webhooks. A second system polls its REST; a third one gets a part of
 * the webhooks and polls too. The requests to REST meet many faults, and one of the two api replicas is killed
 * repeatedly. Returns the results of all once they are idle.
 */
async function playChain() {
  const [a, b, c] = await Promise.all([System.create(), System.create(), System.create()]);
  const folder = temporaryFolder();
  const [client, webhooksOfA, webhooksOfC, steady, toB, toC] = await Promise.all([
    a.addClient('chain'),
    a.startReceiver(),
    c.startReceiver(),
    a.startApi(temporaryFolder()),
    FaultyProxy.start(1),
    FaultyProxy.start(2),
  ]);
  let killed = await a.startApi(folder);
  const direct = (): void => {
    toB.targets = [killed.url];
    toC.targets = [killed.url, steady.url];
  };
  direct();
  toB.faults = MANY_PROXY_FAULTS;
  toC.faults = MANY_PROXY_FAULTS;
  const pollers = [
    b.startPoller({ url: toB.url, client }, POLLING),
    c.startPoller({ url: toC.url, client }, POLLING),
  ];
  await Promise.all(pollers.map((poller) => poller.ready()));

  const simulators = [
    simulate(webhooksOfA.url, { FAULTS }),
    simulate(webhooksOfC.url, {
      FAULTS: OTHER_DELIVERY,
      REST_PORT: '0',
      REST_SECRET_KEY: 'nobody asks for it',
      REST_FAULTS: 'webhook_loss=0.2',
    }),
  ];
  for (let kill = 1; kill <= KILLS; kill++) {
    await publishedShare(webhooksOfA.service, kill / (KILLS + 1));
    await killed.service.kill();
    killed = await a.startApi(folder);
    direct();
  }
  for (const simulator of simulators) await simulator.logged('all was played', DEADLINE_MS);
  const source = await a.output();
  // The faults continue until all systems agree; afterwards they must still agree.
  await Promise.all([same(b, source, toB), same(c, source, toC)]);
  toB.faults = NO_PROXY_FAULTS;
  toC.faults = NO_PROXY_FAULTS;
  await Promise.all([wholeRound(toB), wholeRound(toC)]);
  const [polling, both] = await Promise.all([b.output(), c.output()]);
  for (const poller of pollers) await poller.stop();
  const faults = Object.entries(toB.counts).map(
    ([name, times]) => [name, times + (toC.counts[name as ProxyFault] ?? 0)] as const,
  );
  const rebuilt = await a.startApi(temporaryFolder());
  return { source: await a.output(), polling, both, faults, replicas: [steady, killed, rebuilt], client };
}

function simulate(url: string, settings: Readonly<Record<string, string>>): TestService {
  return startSimulator({
    WEBHOOK_URL: url,
    SEED,
    MATCHES: String(MATCHES),
    DURATION: String(SECONDS),
    ...settings,
  });
}

/** Waits until a receiver has published that share of all messages. */
async function publishedShare(receiver: TestService, share: number): Promise<void> {
  const matchSettings = { seed: SEED, faults: parseFaults(FAULTS), keepAliveEvery: 30, clockEvery: 60 };
  const { messages } = createTimeline(DATASET, matchSettings, MATCHES).totals;
  await untilTrue(
    `${share} of all is published`,
    async () => (await receiver.metric('touchline_webhook_messages_total')) >= messages * share,
    DEADLINE_MS,
  );
}

/** Waits until a system agrees with the source, and checks after each reading of the feed. Tests report differences. */
async function same(system: System, source: PipelineOutput, way: FaultyProxy): Promise<void> {
  const wanted = JSON.stringify(essence(source));
  await untilTrue(
    'it agrees with the source',
    async () => {
      await readings(way, '/v2/feed', 2);
      return JSON.stringify(essence(await system.output())) === wanted;
    },
    DEADLINE_MS,
  ).catch(() => {});
}

async function wholeRound(way: FaultyProxy): Promise<void> {
  await Promise.all([readings(way, '/v2/feed', 3), readings(way, '/v2/events', 2)]);
}

async function readings(way: FaultyProxy, path: string, times: number): Promise<void> {
  const since = Date.now() / 1000;
  await untilTrue(
    `${path} is read ${times} times`,
    () => way.passed.filter((one) => one.path === path && one.askedAt >= since).length >= times,
    DEADLINE_MS,
  );
}

const SEASON = DATASET.competition.season.id;
const DAY = 86_400;

const LISTS = [
  '/v2/competitions?limit=500',
  '/v2/stages?limit=500',
  `/v2/events?season_id=${SEASON}&limit=150`,
  `/v2/events-simple?season_id=${SEASON}&limit=150`,
  '/v2/livescore?date_from=2018-06-14&date_to=2018-06-20&limit=150',
  '/v2/basic-livescore?timestamp=1',
  '/v2/feed',
  '/v2/feed?type=incident&important=yes',
  '/v2/feed?type=event',
];

const OF_EVENT = [
  '/v2/events/:id',
  '/v2/events/:id/incidents?limit=500&deleted=no',
  '/v2/events/:id/incidents?limit=500&deleted=yes',
  '/v2/events/:id/incidents?limit=500&updated=yes&sort_type=occurred_at&sort_order=desc',
  '/v2/events/:id/important-incidents',
  '/v2/feed/:id',
];

/** Expects that all replicas return the same data for everything that the first one lists. */
async function expectSameAnswers(replicas: readonly ApiReplica[], client: ClientCredentials): Promise<void> {
  const [first] = replicas;
  if (first === undefined) throw new Error('there is no replica');
  const token = await first.token(client);
  const now = Math.floor(Date.now() / 1000);
  const ids = DATASET.matches.map(({ id }) => id);
  /**
   * Waits until all replicas return the same data for a path, and returns it: each replica reads the topics
   * separately.
   */
  const agreed = async (path: string): Promise<Data> => {
    let wanted = await dataOf(first, path, token);
    for (const replica of replicas) {
      let found = await dataOf(replica, path, token);
      await untilTrue(`${replica.url} gives the same of ${path}`, async () => {
        if (isDeepStrictEqual(found, wanted)) return true;
        [found, wanted] = await Promise.all([dataOf(replica, path, token), dataOf(first, path, token)]);
        return false;
      }).catch(() => {});
      expect(found, path).toEqual(wanted);
    }
    return wanted;
  };
  const known = await agreed(`/v2/events?season_id=${SEASON}&limit=150`);
  const matches = ids.filter((id) => known.text.includes(`"id":${id},`));
  const paths = [
    ...LISTS.map((path) =>
      path === '/v2/feed' ? `${path}?timestamp=${now - DAY}&timestamp_to=${now}` : path,
    ),
    ...matches.flatMap((id) => OF_EVENT.map((path) => path.replace(':id', String(id)))),
  ];
  expect(matches.length).toBeGreaterThan(0);
  for (const path of paths) await agreed(path);
}

type Data = { readonly total: unknown; readonly text: string };

async function dataOf(replica: ApiReplica, path: string, token: string): Promise<Data> {
  const { data, method } = await replica.api(`${path}${path.includes('?') ? '&' : '?'}token=${token}`);
  return { total: method.total_items, text: JSON.stringify(data) };
}

const TIMEOUT_MS = 30 * 60_000;
let chain: Awaited<ReturnType<typeof playChain>>;

beforeAll(async () => {
  chain = await playChain();
}, TIMEOUT_MS);

function expectSameMatches(found: PipelineOutput, wanted: PipelineOutput): void {
  const [mine, theirs] = [essence(found), essence(wanted)];
  expect(Object.keys(mine)).toEqual(Object.keys(theirs));
  for (const [id, match] of Object.entries(theirs)) expect(mine[Number(id)], `event ${id}`).toEqual(match);
}

test('the play had every kind of fault', () => {
  const { source, faults } = chain;
  expect(source.states.size).toBe(MATCHES);
  for (const [name, times] of faults) expect(times, name).toBeGreaterThan(0);
  const voided = [...source.states.values()].flatMap(({ void_goals }) => Object.values(void_goals));
  expect(new Set(voided)).toEqual(new Set(['removed', 'cancelled', 'goal_cancelled']));
  for (const { verified_result } of source.states.values()) expect(verified_result).toBe(true);
});

describe('when all is quiet', () => {
  test('a system that only polls another one reaches the same state of every match', () => {
    expectSameMatches(chain.polling, chain.source);
  });

  test('a system with partly lost webhooks and polling reaches the same state too', () => {
    expectSameMatches(chain.both, chain.source);
  });

  test('no system publishes a transition twice', () => {
    for (const { transitions } of [chain.source, chain.polling, chain.both])
      expect(new Set(transitions.map(({ id }) => id)).size).toBe(transitions.length);
  });
});

test('a killed replica of the api, an undisturbed one and a rebuilt one answer alike', () =>
  expectSameAnswers(chain.replicas, chain.client));
