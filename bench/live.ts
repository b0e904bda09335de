/** Measures what live messages cost: processor time and requests to the broker, by process, idle and at several rates. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { serviceNames } from '../cli/services.ts';
import { makePlace } from './api-topics.ts';
import { type Bench, type BenchContext, connectionEnv, format, quantile } from './context.ts';
import { countOffsets, withAdmin } from './kafka.ts';
import { readStates } from './latency.ts';
import { liveMessages, Pending, pace } from './live-load.ts';
import { type MachineUse, machineUse, usedBy } from './machine-use.ts';
import type { TimedMessage } from './matches.ts';
import { answered } from './processes.ts';
import {
  type CountedService,
  describeRequests,
  type RequestCounts,
  requestsBetween,
  startCounted,
  totalOf,
} from './request-counts.ts';
import { sizeOf, sizesOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { WebhookClient } from './webhook-client.ts';

/** Messages a second, one message a delivery. */
const RATES = sizesOf('BENCH_RATES', [20, 200, 1_000], [200]);
/** The rate of a busy afternoon, for which the limits are wanted. */
const MAIN_RATE = 200;
const WINDOW_MS = sizeOf(null, 20_000, 1_000);
/** The broker's code is compiled in it: that takes more than a core for half a minute. */
const WARM_UP = { messages: sizeOf('BENCH_MESSAGES', 15_000, 200), perSecond: 500 };
/** Idle time before the services count as at rest. */
const CALM_MS = sizeOf(null, 12_000, 500);
/** Time without new records after which the services have processed everything. */
const QUIET_MS = 500;
const DRAINED_WITHIN_MS = 120_000;
const READY_MS = 60_000;
const RECEIVER = 'webhook-receiver';
const CLIENTS_KEY = 'the key of the bench, long enough for it';
/** Wanted at most, on two cores: the idle share of a core, and milliseconds and requests of a message at the main rate. */
const WANTED = { idlePercent: 8, ms: 4.5, requests: 3.5, p50Ms: 6 };

/** Use of processor and broker in a window, by process; the receiver's requests count apart. */
type Window = {
  readonly seconds: number;
  readonly messages: number;
  readonly before: MachineUse;
  readonly after: MachineUse;
  readonly requests: ReadonlyMap<string, RequestCounts>;
};

export const bench: Bench = {
  about: `processor time and broker requests of a live message, by process: idle and at ${RATES.join(', ')} messages/s`,
  subject: ['libs', 'services'],
  async run(context) {
    const prefix = context.prefix('live');
    await makePlace(context, prefix);
    const port = await freePort();
    const secret = randomBytes(16).toString('hex');
    const services = await startAll(context, prefix, { port, secret });
    const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
    await client.untilReady(READY_MS);
    const load = new LiveLoad(context, prefix, client);
    await load.send(WARM_UP.messages, WARM_UP.perSecond);
    const windows = new Map<number, Window>();
    for (const rate of RATES) {
      const messages = Math.round((rate * WINDOW_MS) / 1_000);
      const window = await measure(services, messages, () => load.send(messages, rate));
      windows.set(rate, window);
      context.print(`${rate} messages/s, processor time of a message, µs: ${describeUse(window, messages)}`);
      for (const line of describeServices(window, messages))
        context.print(`${rate} messages/s, requests of a message: ${line}`);
    }
    const latencies = await measureLatency(context, prefix, load);
    context.print(
      `${MAIN_RATE} messages/s, to match-state: p50 ${format(quantile(latencies, 0.5))} ms, p99 ${format(quantile(latencies, 0.99))} ms`,
    );
    await delay(CALM_MS);
    const idle = await measure(services, 0, () => delay(WINDOW_MS));
    context.print(`idle, share of a core, %: ${describeUse(idle, idle.seconds * 1e4)}`);
    for (const line of describeServices(idle, idle.seconds))
      context.print(`idle, requests a second: ${line}`);
    report(context, windows, idle, latencies);
    client.close();
    await Promise.all(services.map(({ process }) => process.stop()));
  },
};

/** Starts every service of `touchline up` without a provider, one process each, and waits until all are ready. */
async function startAll(
  context: BenchContext,
  prefix: string,
  receiver: { readonly port: number; readonly secret: string },
): Promise<CountedService[]> {
  const env = {
    ...connectionEnv(context, prefix),
    CLIENTS_KEY,
    API_PORT: '0',
    TOOLS_PORT: '0',
    DISPATCHER_PORT: '0',
    WEBHOOK_PORT: String(receiver.port),
    WEBHOOK_SECRET: receiver.secret,
  };
  const ports: number[] = [];
  const services: CountedService[] = [];
  for (const name of serviceNames()) {
    if (name === 'simulator' || name === 'feed-poller') continue;
    const metricsPort = await freePort();
    const settings = { ...env, DATA_DIR: join(context.dir, name), METRICS_PORT: String(metricsPort) };
    ports.push(metricsPort);
    services.push(startCounted(name, context.dir, settings));
  }
  await Promise.all(ports.map((port) => answered(port, '/health/ready')));
  return services;
}

/** Sends live messages by signed deliveries, one of each match at a time. */
class LiveLoad {
  readonly #context: BenchContext;
  readonly #prefix: string;
  readonly #client: WebhookClient;
  readonly #messages = liveMessages();

  constructor(context: BenchContext, prefix: string, client: WebhookClient) {
    this.#context = context;
    this.#prefix = prefix;
    this.#client = client;
  }

  /** Sends messages at a rate, and resolves when the services have processed all of them. */
  async send(
    count: number,
    perSecond: number,
    onSend: (message: TimedMessage) => void = () => {},
  ): Promise<void> {
    const accepted = new Map<number, Promise<void>>();
    await pace(count, perSecond, () => {
      const timed = this.#messages.next().value;
      const { eventId, message } = timed;
      onSend(timed);
      const body = Buffer.from(JSON.stringify([message]));
      const before = accepted.get(eventId) ?? Promise.resolve();
      accepted.set(
        eventId,
        before.then(() => this.#client.post(body)),
      );
    });
    await Promise.all(accepted.values());
    await this.#drained();
  }

  /** Waits until the last topic on a message's way has stopped growing. */
  async #drained(): Promise<void> {
    const topic = topicName(this.#prefix, 'webhook-messages');
    await withAdmin(this.#context.brokers, async (admin) => {
      const until = performance.now() + DRAINED_WITHIN_MS;
      for (let seen = -1; performance.now() < until; await delay(QUIET_MS)) {
        const offsets = await countOffsets(admin, topic);
        if (offsets === seen) return;
        seen = offsets;
      }
      throw new Error(`${topic} still grows`);
    });
  }
}

async function measure(
  services: readonly CountedService[],
  messages: number,
  during: () => Promise<unknown>,
): Promise<Window> {
  const countAll = () => Promise.all(services.map((service) => service.counts()));
  const sent = await countAll();
  const before = await machineUse();
  const started = performance.now();
  await during();
  const after = await machineUse();
  const seconds = (performance.now() - started) / 1_000;
  const counted = await countAll();
  const requests = services.map(
    ({ name }, at) => [name, requestsBetween(sent[at] ?? new Map(), counted[at] ?? new Map())] as const,
  );
  return { seconds, messages, before, after, requests: new Map(requests) };
}

/** Measures apart from the cost, as the reader of match-state costs the broker requests too. */
async function measureLatency(context: BenchContext, prefix: string, load: LiveLoad): Promise<number[]> {
  const pending = new Pending();
  const markOf = readStates(Registry.open({ url: context.registryUrl, prefix }));
  const reader = new TopicReader({
    brokers: context.brokers,
    topic: topicName(prefix, 'match-state'),
    async onRecords(_, records) {
      const at = performance.now();
      for (const { value } of records) {
        if (value === null) continue;
        const { eventId, messageId } = await markOf(value);
        pending.seen(eventId, messageId, at);
      }
    },
  });
  await load.send(MAIN_RATE, MAIN_RATE);
  const messages = Math.round((MAIN_RATE * WINDOW_MS) / 2_000);
  await load.send(messages, MAIN_RATE, ({ eventId, messageId }) => pending.sent(eventId, messageId));
  const latencies = await pending.settle();
  await reader.close();
  return latencies;
}

/** Names the processes of the platform: not the bench, which sends the load. */
function processesOf({ after }: Window): string[] {
  return ['broker', 'registry', ...serviceNames()].filter((name) => after.has(name));
}

/** Returns the processor time of all processes of the platform, microseconds divided by `per`. */
function totalUse(window: Window, per: number): number {
  return processesOf(window).reduce((sum, name) => sum + usedBy(name, window.before, window.after, per), 0);
}

function describeUse(window: Window, per: number): string {
  const parts = processesOf(window)
    .map((name) => [name, usedBy(name, window.before, window.after, per)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, used]) => `${name} ${format(used)}`);
  return `all ${format(totalUse(window, per))}: ${parts.join(', ')}`;
}

function describeServices({ requests }: Window, per: number): string[] {
  return [...requests].map(
    ([name, counts]) => `${name} ${format(totalOf(counts) / per)}: ${describeRequests(counts, per)}`,
  );
}

/** Returns the number of requests without those of the receiver, which answers each delivery by itself. */
function requestsOf({ requests }: Window): number {
  return [...requests].reduce((sum, [name, counts]) => sum + (name === RECEIVER ? 0 : totalOf(counts)), 0);
}

function report(
  context: BenchContext,
  windows: ReadonlyMap<number, Window>,
  idle: Window,
  latencies: readonly number[],
): void {
  const wanted = (value: number) =>
    ({ beside: { name: 'wanted', value }, better: 'less', target: 1 }) as const;
  context.figure({
    name: 'idle: processor time of all processes',
    ours: totalUse(idle, idle.seconds) / 1e4,
    unit: '% of a core',
    ...wanted(WANTED.idlePercent),
  });
  const main = windows.get(MAIN_RATE);
  if (main === undefined) return;
  const msOf = (window: Window) => totalUse(window, window.messages) / 1_000;
  const eachOf = (window: Window) => requestsOf(window) / window.messages;
  for (const [rate, window] of windows) {
    const beside = (value: number) =>
      ({ beside: { name: `at ${MAIN_RATE} messages/s`, value }, better: 'less' }) as const;
    const isMain = window === main;
    context.figure({
      name: `${rate} messages/s: processor time of a message`,
      ours: msOf(window),
      unit: 'ms',
      ...(isMain ? wanted(WANTED.ms) : beside(msOf(main))),
    });
    context.figure({
      name: `${rate} messages/s: requests of a message, without the receiver's`,
      ours: eachOf(window),
      unit: 'requests',
      ...(isMain ? wanted(WANTED.requests) : beside(eachOf(main))),
    });
  }
  context.figure({
    name: `${MAIN_RATE} messages/s: p50 from webhook to match-state`,
    ours: quantile(latencies, 0.5),
    unit: 'ms',
    ...wanted(WANTED.p50Ms),
  });
}
