/** Every service without free file descriptors: one clear line each, nothing lost, and recovery when there are some. */
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { API_AND_TOOLS } from '../../../cli/services.ts';
import { CLIENT, TestProvider } from '../../integration/feed-poller/provider.ts';
import { incident, message } from '../../integration/feed-poller/support.ts';
import { ApiReplica, type ClientCredentials } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { HttpsReceiver } from '../../support/https-receiver.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { seasonMessages } from '../../support/standings/made-up-season.ts';
import { System, WEBHOOK_SECRET } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Gateway, grant, startGateway, startUpstream } from '../../support/tool-gateway.ts';
import { startDispatcher, subscribe } from '../../support/webhooks.ts';
import { Deliveries } from './deliveries.ts';

const STARVED_MS = 10_000;
const NO_MORE_FILES = 3;
const ENOUGH_FILES = 4_096;
const COMPETITION = 1;
/** The season that is played before, and the one that is played while no service has descriptors. */
const SEASONS = { before: 100, starved: 101 } as const;
const TEAMS = 4;

const mayLimit = spawnSync('prlimit', ['--version']).status === 0;

/** Sets how many files and connections a process may have open: with three it can open none. */
function limitFiles({ pid }: TestService, limit: number): void {
  const done = spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]);
  if (done.status !== 0) throw new Error(String(done.stderr));
}

function play(system: System, season: number): Promise<void> {
  const levels = { competition: COMPETITION, season, stage: season, group: null };
  return system.pipeline.feed(seasonMessages(levels, TEAMS, season * 1_000, season));
}

type StarvedService = { readonly service: TestService; readonly recovers: () => Promise<void> };

/** Starts every service but the simulator, and `API_AND_TOOLS`. */
async function startAll(system: System) {
  const { connection } = system.pipeline;
  const receiver = await system.startReceiver({ PATIENCE_MS: '2000' });
  const deliveries = new Deliveries(receiver.url);
  const customer = await HttpsReceiver.start();
  // The first client, which `clients add` then leaves alone.
  await subscribe(connection, { url: customer.url, secret: WEBHOOK_SECRET });
  const client = await system.addClient('limits');
  const provider = await TestProvider.start();
  atEnd(() => provider.close());
  const poller = system.startPoller(
    { url: provider.url, client: CLIENT },
    { FOLLOW_SEASONS: String(provider.season.id) },
  );
  const standings = system.start('standings-processor', { SESSION_TIMEOUT_MS: '6000' });
  const monitor = system.start('feed-monitor', { SESSION_TIMEOUT_MS: '6000' });
  const dispatcher = await startDispatcher(connection);
  const api = await system.startApi(temporaryFolder());
  const upstream = await startUpstream(grant);
  const gateway = await startGateway(connection, upstream.url);
  const both = startService(API_AND_TOOLS, {
    ...connectionEnv(connection),
    DATA_DIR: temporaryFolder(),
    API_PORT: '0',
    TOOLS_PORT: '0',
    CLIENTS_KEY,
  });
  const { port } = await until('api and tools listen', () => {
    const line = both.lines.find((one) => one.includes('"listening"') && one.includes('"part":"api"'));
    return line === undefined ? undefined : JSON.parse(line);
  });
  const services: Record<string, StarvedService> = {
    'webhook-receiver': { service: receiver.service, recovers: () => deliveries.untilAccepted() },
    'match-processor': { service: system.processor, recovers: () => deliveries.expectAll(system) },
    'standings-processor': { service: standings, recovers: () => tablesOf(system, SEASONS.starved) },
    'feed-monitor': { service: monitor, recovers: () => judgesAgain(system) },
    'feed-poller': { service: poller, recovers: () => publishesFeed(system, provider) },
    'webhook-dispatcher': { service: dispatcher, recovers: () => hasDelivered(customer, deliveries) },
    api: { service: api.service, recovers: () => showsSeason(api, client) },
    'tool-gateway': { service: gateway.service, recovers: () => issuesTokens(gateway, client) },
    [API_AND_TOOLS]: {
      service: both,
      recovers: () => showsSeason(new ApiReplica(both, `http://127.0.0.1:${port}`), client),
    },
  };
  await Promise.all(Object.values(services).map(({ service }) => service.ready()));
  return { deliveries, provider, services };
}

/** Waits for the tables of a season, and expects each version of every table once. */
async function tablesOf(system: System, season: number): Promise<void> {
  await untilTrue(`the season ${season} has tables`, async () => {
    const versions: string[] = [];
    let found = 0;
    await system.pipeline.read('standings', ({ standings_id, version, season_id }) => {
      versions.push(`${standings_id}/${version}`);
      if (season_id === season) found += 1;
    });
    expect(versions.length).toBe(new Set(versions).size);
    return found > 0;
  });
}

async function judgesAgain(system: System): Promise<void> {
  const now = Date.now();
  await untilTrue('feed health is written again', async () => {
    let latest = 0;
    await system.pipeline.read('feed-health', ({ written_at }) => {
      latest = Math.max(latest, written_at);
    });
    return latest > now;
  });
}

async function publishesFeed(system: System, { feed }: TestProvider): Promise<void> {
  await untilTrue('all of the feed is published', async () => {
    const published = new Set<string>();
    await system.pipeline.read('normalized-messages', ({ message_id }) => published.add(message_id));
    return feed.every(({ id }) => published.has(String(id)));
  });
}

async function hasDelivered(customer: HttpsReceiver, deliveries: Deliveries): Promise<void> {
  await untilTrue('the customer has every accepted incident', () => {
    const bodies = customer.received.map(({ body }) => body.toString());
    return deliveries.incidents.every((id) => bodies.some((body) => body.includes(`"${id}"`)));
  });
}

async function showsSeason(api: ApiReplica, client: ClientCredentials): Promise<void> {
  const token = await api.token(client);
  await untilTrue('the season that was played meanwhile is shown', async () => {
    const response = await api.get(`/v2/events?season_id=${SEASONS.starved}&token=${token}`);
    return response.ok && (await response.text()).includes(`"id":${SEASONS.starved * 1_000}`);
  });
}

async function issuesTokens(gateway: Gateway, { id, secret }: ClientCredentials): Promise<void> {
  const body = { client_id: id, secret_key: secret };
  await untilTrue('an access token is issued', async () => {
    const answer = await gateway.exchange(body).catch(() => null);
    return answer?.body.token !== undefined;
  });
}

const countOf = ({ lines }: TestService, text: string): number =>
  lines.filter((line) => line.includes(text)).length;

test.runIf(mayLimit)(
  'services without descriptors say so once, lose nothing, and go on when they get some (needs prlimit)',
  async () => {
    const kafka = await startOwnKafka();
    const system = await System.create({ brokers: kafka.brokers });
    const { deliveries, provider, services } = await startAll(system);
    const all = Object.entries(services);
    await play(system, SEASONS.before);
    await deliveries.sendAll(5);
    await tablesOf(system, SEASONS.before);

    for (const [, { service }] of all) limitFiles(service, NO_MORE_FILES);
    // Each connection to the broker ends, and no other can be opened.
    await kafka.kill();
    await kafka.start();
    await play(system, SEASONS.starved);
    const now = provider.now();
    provider.feed.push(message(1, now, 9, incident('5-feed', now)));
    const endsAt = performance.now() + STARVED_MS;
    while (performance.now() < endsAt) {
      await deliveries.send();
      await delay(200);
    }
    for (const [name, { service }] of all) {
      expect(service.exited, `${name}\n${service.log}`).toBe(false);
      expect(countOf(service, '"code":"TOO_FEW_FILES"'), `${name}\n${service.log}`).toBe(1);
    }

    for (const [, { service }] of all) limitFiles(service, ENOUGH_FILES);
    for (const [name, { service, recovers }] of all) {
      await recovers().catch((error: unknown) => {
        throw new Error(`${name} does not recover: ${String(error)}\n${service.log}`);
      });
      await untilTrue(
        `${name} says that it goes on`,
        () => countOf(service, 'files and connections can be opened again') === 1,
      );
      await service.ready();
      expect(countOf(service, '"code":"TOO_FEW_FILES"'), `${name}\n${service.log}`).toBe(1);
    }
  },
);
