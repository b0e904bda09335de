/** Measures what live messages cost and when they are seen: idle and at several rates, without and with subscriptions. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { topicName } from '#topics/topics.ts';
import { processNames } from '../cli/services.ts';
import { tokenOf } from './api-process.ts';
import { createTopicsWithClient } from './api-topics.ts';
import { type Bench, type BenchContext, describeMs, type Figure, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { liveMessages, sendLive, untilStill } from './live-load.ts';
import { comparePeers } from './live-peer.ts';
import { type LiveLatencies, SURFACES, Surfaces } from './live-surfaces.ts';
import { machineUse, usedBy } from './machine-use.ts';
import type { TimedMessage } from './matches.ts';
import { answered, startService } from './processes.ts';
import { sizeOf, sizesOf } from './size.ts';
import { WebhookClient } from './webhook-client.ts';
import { Sink, WebhookSystem } from './webhook-system.ts';

/** Messages a second, one message a delivery. */
const RATES = sizesOf('BENCH_RATES', [20, 200, 1_000], [200]);
/** The rate of a busy afternoon, whose latencies are figures; those of the others are in the rounds. */
const MAIN_RATE = 200;
const SUBSCRIPTIONS = 10;
/** Time in which the cost is measured, and in which the latencies are. */
const WINDOW_SECONDS = { cost: sizeOf(null, 10, 1), latency: sizeOf(null, 6, 1), idle: sizeOf(null, 30, 1) };
/** The broker's code is compiled in it: that takes more than a core for half a minute. */
const WARM_UP = { messages: sizeOf('BENCH_MESSAGES', 15_000, 200), perSecond: 500 };
/** Messages that are sent first to new subscriptions. */
const FIRST_DELIVERIES = { messages: sizeOf(null, 2_000, 100), perSecond: 400 };
/** Idle time before the services count as at rest: the broker has compiled what was hot, and processes have returned their memory. */
const CALM_MS = sizeOf(null, 45_000, 500);
const READY_MS = 60_000;
/** Search for the highest sustained rate: the first one, messages a second, and the factor between two that are tried. */
const SEARCH = { first: sizeOf(null, 400, 50), factor: 1.25, highest: sizeOf(null, 4_000, 50) };
/** A rate is sustained when the last message is processed this long after it was sent, at most. */
const SUSTAINED_MS = 1_000;
/** Wanted of two cores: messages a second at least; the idle share of a core, and milliseconds at the main rate, at most. */
const WANTED = {
  sustained: 1_000,
  idlePercent: 8,
  ms: 4.5,
  p50: { 'match-state': 6, REST: 12, 'the board': 30, 'a client’s webhook': 12 },
};

export const bench: Bench = {
  about: `a live message, idle and at ${RATES.join(', ')} messages/s: processor time by process, latency to each surface, ${SUBSCRIPTIONS} subscriptions, beside Kafka Streams`,
  async run(context) {
    const sink = await Sink.start(context);
    const platform = await startPlatform(context, sink);
    await platform.send(WARM_UP.messages, WARM_UP.perSecond);
    const plain = await measurePaces(context, platform, []);
    const sustained = await findSustained(context, platform);
    await delay(CALM_MS);
    const seconds = WINDOW_SECONDS.idle;
    const idle = await useOf('idle, % of a core', seconds * 1e4, context, () => delay(seconds * 1_000));
    const paths = await platform.subscribe(SUBSCRIPTIONS);
    await platform.send(FIRST_DELIVERIES.messages, FIRST_DELIVERIES.perSecond);
    const subscribed = await measurePaces(context, platform, paths);
    await platform.stop();
    await sink.stop();
    const wanted = (value: number) => ({ name: 'wanted', value });
    context.figure({
      name: 'sustained, without subscriptions',
      unit: 'messages/s',
      ours: sustained,
      beside: wanted(WANTED.sustained),
      target: 1,
    });
    const less = (name: string, unit: string, ours: number, beside: Figure['beside'], target?: number) =>
      context.figure({ name, unit, ours, beside, target, better: 'less' });
    less('idle: processor time of all processes', '% of a core', idle, wanted(WANTED.idlePercent), 1);
    for (const [at, { rate, micros, latencies }] of plain.entries()) {
      const more = subscribed[at] as Pace;
      const with10 = `${rate} messages/s, ten subscriptions`;
      const alone = { name: 'without', value: micros / 1_000 };
      less(`${with10}: processor time of a message`, 'ms', more.micros / 1_000, alone);
      if (rate !== MAIN_RATE) continue;
      less(`${rate} messages/s: processor time of a message`, 'ms', micros / 1_000, wanted(WANTED.ms), 1);
      for (const surface of SURFACES) {
        const isWebhook = surface === 'a client’s webhook';
        const times = (isWebhook ? more.latencies : latencies).get(surface) ?? [];
        for (const [name, share, factor] of QUANTILES) {
          const limit = wanted(WANTED.p50[surface] * factor);
          less(`${rate} messages/s: to ${surface}, ${name}`, 'ms', quantile(times, share), limit, 1);
        }
        const without = { name: 'without', value: quantile(times, 0.5) };
        const p50 = quantile(more.latencies.get(surface) ?? [], 0.5);
        if (!isWebhook) less(`${with10}: to ${surface}, p50`, 'ms', p50, without);
      }
    }
    await comparePeers(context, RATES);
  },
};

/** Name, share, and the wanted maximum as a multiple of the wanted p50. */
const QUANTILES = [
  ['p50', 0.5, 1],
  ['p99', 0.99, 5],
] as const;

/** The cost of messages at a rate, microseconds of processor each, and when they were seen. */
type Pace = { readonly rate: number; readonly micros: number; readonly latencies: LiveLatencies };

/** Every process of `touchline up` without a provider, with a load of signed deliveries. */
type Platform = {
  /** Sends messages at a rate. Resolves when all are processed and delivered, with how long the last one took, milliseconds. */
  send(count: number, perSecond: number, surfaces?: Surfaces): Promise<number>;
  /** Opens readers of all surfaces, with subscriptions at these paths. */
  surfaces(paths: readonly string[]): Surfaces;
  /** Creates subscriptions. Resolves with their paths. */
  subscribe(count: number): Promise<readonly string[]>;
  /** Stops all processes and deletes their topics, so that they cost the broker nothing more. */
  stop(): Promise<void>;
};

/** Starts all processes, and waits until they are ready. */
async function startPlatform(context: BenchContext, sink: Sink): Promise<Platform> {
  const prefix = context.prefix('live');
  const credentials = await createTopicsWithClient(context, prefix);
  const webhooks = await WebhookSystem.create(context, prefix, sink);
  const secret = randomBytes(16).toString('hex');
  const [webhookPort, apiPort] = [await freePort(), await freePort()];
  const env = {
    ...webhooks.settings(),
    API_PORT: String(apiPort),
    API_BOARD: 'on',
    TOOLS_PORT: '0',
    WEBHOOK_PORT: String(webhookPort),
    WEBHOOK_SECRET: secret,
  };
  const started = processNames()
    .filter((name) => name !== 'feed-poller')
    .map(async (name) => {
      const metricsPort = await freePort();
      const settings = { ...env, DATA_DIR: join(context.dir, name), METRICS_PORT: String(metricsPort) };
      const process = startService(name, context.dir, settings);
      await answered(metricsPort, '/health/ready');
      return process;
    });
  const services = await Promise.all(started);
  const client = new WebhookClient(`http://127.0.0.1:${webhookPort}/webhook`, secret);
  await client.untilReady(READY_MS);
  const api = { apiUrl: `http://127.0.0.1:${apiPort}`, token: await tokenOf(apiPort, credentials) };
  const source = {
    messages: liveMessages(),
    send: ({ message }: TimedMessage) => client.post(Buffer.from(JSON.stringify([message]))),
  };
  return {
    async send(count, perSecond, surfaces) {
      let sentAt = 0;
      await sendLive(source, { count, perSecond }, (message) => {
        sentAt = performance.now();
        surfaces?.sent(message, perSecond);
      });
      let delivered = 0;
      const topic = topicName(prefix, 'webhook-messages');
      const stillSince = await untilStill(context.brokers, topic, async () => {
        delivered += surfaces ? await surfaces.receive() : (await sink.counts()).arrivals.length;
        return delivered;
      });
      return Math.max(0, stillSince - sentAt);
    },
    surfaces: (paths) => new Surfaces(context, { prefix, sink, ...api, paths }),
    subscribe: async (count) => [...(await webhooks.subscribe(count, (n) => `/${n}`)).keys()],
    async stop() {
      client.close();
      await Promise.all(services.map((process) => process.stop()));
      await remove(context.brokers, prefix);
    },
  };
}

/** Returns the highest rate, messages a second, at which what waits does not grow. */
async function findSustained(context: BenchContext, platform: Platform): Promise<number> {
  let rate = SEARCH.first;
  const holds = async (): Promise<boolean> => {
    const drainMs = await platform.send(Math.round(rate * WINDOW_SECONDS.cost), rate);
    context.print(`${Math.round(rate)} messages/s: the last is processed after ${format(drainMs)} ms`);
    return drainMs <= SUSTAINED_MS;
  };
  if (!(await holds())) {
    do rate /= SEARCH.factor;
    while (rate > 1 && !(await holds()));
    return rate;
  }
  while (rate * SEARCH.factor <= SEARCH.highest) {
    rate *= SEARCH.factor;
    if (!(await holds())) return rate / SEARCH.factor;
  }
  return rate;
}

/** Measures every rate, with subscriptions at these paths. */
async function measurePaces(
  context: BenchContext,
  platform: Platform,
  paths: readonly string[],
): Promise<Pace[]> {
  const paces: Pace[] = [];
  for (const rate of RATES) {
    const name = `${rate} messages/s, ${paths.length} subscriptions`;
    const messages = rate * WINDOW_SECONDS.cost;
    const micros = await useOf(`${name}, µs of processor a message`, messages, context, () =>
      platform.send(messages, rate),
    );
    const latencies = await measureLatencies(platform, rate, paths);
    for (const [surface, times] of latencies)
      if (times.length > 0) context.print(`${name}, to ${surface}: ${describeMs(times)}`);
    paces.push({ rate, micros, latencies });
  }
  return paces;
}

/** Measures apart from the cost, as the readers of the surfaces cost requests too. */
async function measureLatencies(
  platform: Platform,
  rate: number,
  paths: readonly string[],
): Promise<LiveLatencies> {
  const surfaces = platform.surfaces(paths);
  // The readers have read what there was when they have seen these.
  await platform.send(rate, rate, surfaces);
  await surfaces.settle();
  await platform.send(rate * WINDOW_SECONDS.latency, rate, surfaces);
  const latencies = await surfaces.settle();
  await surfaces.close();
  return latencies;
}

/** Returns the processor time of the platform while `during` runs, microseconds divided by `per`, and prints it by process. */
async function useOf(
  name: string,
  per: number,
  context: BenchContext,
  during: () => Promise<unknown>,
): Promise<number> {
  const before = await machineUse();
  await during();
  const after = await machineUse();
  // Without the bench, which sends the load.
  const used = ['broker', 'registry', ...processNames()]
    .map((process) => [process, usedBy(process, before, after, per)] as const)
    .filter(([, micros]) => micros > 0)
    .toSorted(([, a], [, b]) => b - a);
  const all = used.reduce((sum, [, micros]) => sum + micros, 0);
  context.print(
    `${name}: all ${format(all)}: ${used.map(([process, micros]) => `${process} ${format(micros)}`).join(', ')}`,
  );
  return all;
}
