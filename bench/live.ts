/** Measures what live messages cost and when they are seen: idle and at several paces, without and with subscriptions. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { topicName } from '#topics/topics.ts';
import { processNames } from '../cli/services.ts';
import { createTopicsWithClient } from './api-topics.ts';
import { type Bench, type BenchContext, format } from './context.ts';
import { remove } from './kafka.ts';
import { addFigures, describeLatencies, describeWindow, type Pace, type Window } from './live-figures.ts';
import { liveMessages, sendLive, untilStill } from './live-load.ts';
import { comparePeers } from './live-peer.ts';
import { type LiveLatencies, Surfaces } from './live-surfaces.ts';
import { machineUse } from './machine-use.ts';
import type { TimedMessage } from './matches.ts';
import { answered } from './processes.ts';
import { type CountedService, requestsBetween, startCounted } from './request-counts.ts';
import { sizeOf, sizesOf } from './size.ts';
import { WebhookClient } from './webhook-client.ts';
import { Sink, WebhookSystem } from './webhook-system.ts';

/** Messages a second, one message a delivery. */
const RATES = sizesOf('BENCH_RATES', [20, 200, 1_000], [200]);
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

export const bench: Bench = {
  about: `a live message, idle and at ${RATES.join(', ')} messages/s: processor time and requests by process, latency to each surface, ${SUBSCRIPTIONS} subscriptions, beside Kafka Streams`,
  subject: ['libs', 'services'],
  async run(context) {
    const sink = await Sink.start(context);
    const platform = await Platform.start(context, sink);
    await platform.send(WARM_UP.messages, WARM_UP.perSecond);
    const plain = await platform.measurePaces([]);
    const sustained = await platform.findSustained();
    await delay(CALM_MS);
    const idle = await platform.measure(0, () => delay(WINDOW_SECONDS.idle * 1_000));
    for (const line of describeWindow('idle', idle)) context.print(line);
    const paths = await platform.subscribe(SUBSCRIPTIONS);
    await platform.send(FIRST_DELIVERIES.messages, FIRST_DELIVERIES.perSecond);
    const subscribed = await platform.measurePaces(paths);
    await platform.stop();
    await sink.stop();
    addFigures(context, { idle, plain, subscribed, sustained });
    await comparePeers(context, RATES);
  },
};

/** Every process of `touchline up` without a provider, with a load of signed deliveries. */
class Platform {
  readonly #context: BenchContext;
  readonly #prefix: string;
  readonly #webhooks: WebhookSystem;
  readonly #sink: Sink;
  readonly #services: readonly CountedService[];
  readonly #client: WebhookClient;
  readonly #api: { readonly apiUrl: string; readonly token: string };
  readonly #messages = liveMessages();

  private constructor(
    context: BenchContext,
    system: { readonly prefix: string; readonly webhooks: WebhookSystem; readonly sink: Sink },
    running: {
      readonly services: readonly CountedService[];
      readonly client: WebhookClient;
      readonly api: { readonly apiUrl: string; readonly token: string };
    },
  ) {
    this.#context = context;
    this.#prefix = system.prefix;
    this.#webhooks = system.webhooks;
    this.#sink = system.sink;
    this.#services = running.services;
    this.#client = running.client;
    this.#api = running.api;
  }

  /** Starts all processes, and waits until they are ready. */
  static async start(context: BenchContext, sink: Sink): Promise<Platform> {
    const prefix = context.prefix('live');
    const { id, secret: key } = await createTopicsWithClient(context, prefix);
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
    const ports: number[] = [];
    const services: CountedService[] = [];
    for (const name of processNames()) {
      if (name === 'feed-poller') continue;
      const metricsPort = await freePort();
      const settings = { ...env, DATA_DIR: join(context.dir, name), METRICS_PORT: String(metricsPort) };
      ports.push(metricsPort);
      services.push(startCounted(name, context.dir, settings));
    }
    await Promise.all(ports.map((port) => answered(port, '/health/ready')));
    const client = new WebhookClient(`http://127.0.0.1:${webhookPort}/webhook`, secret);
    await client.untilReady(READY_MS);
    const login = await answered(apiPort, `/v2/oauth?client_id=${id}&secret_key=${key}`);
    const { token }: { token: string } = JSON.parse(login.toString()).api.data;
    const api = { apiUrl: `http://127.0.0.1:${apiPort}`, token };
    return new Platform(context, { prefix, webhooks, sink }, { services, client, api });
  }

  /** Creates subscriptions. Resolves with their paths. */
  async subscribe(count: number): Promise<readonly string[]> {
    return [...(await this.#webhooks.subscribe(count, (n) => `/${n}`)).keys()];
  }

  /** Sends messages at a rate, and resolves when the services have processed and delivered all of them. */
  async send(count: number, perSecond: number, surfaces?: Surfaces): Promise<{ readonly drainMs: number }> {
    const source = {
      messages: this.#messages,
      send: ({ message }: TimedMessage) => this.#client.post(Buffer.from(JSON.stringify([message]))),
    };
    let sentAt = 0;
    await sendLive(source, { count, perSecond }, (message) => {
      sentAt = performance.now();
      surfaces?.sent(message, perSecond);
    });
    let delivered = 0;
    const topic = topicName(this.#prefix, 'webhook-messages');
    const stillSince = await untilStill(this.#context.brokers, topic, async () => {
      delivered += await (surfaces?.receive() ?? this.#arrived());
      return delivered;
    });
    return { drainMs: Math.max(0, stillSince - sentAt) };
  }

  /** Returns the highest rate, messages a second, at which what waits does not grow. */
  async findSustained(): Promise<number> {
    let rate = SEARCH.first;
    const holds = async (): Promise<boolean> => {
      const { drainMs } = await this.send(Math.round(rate * WINDOW_SECONDS.cost), rate);
      this.#context.print(
        `${Math.round(rate)} messages/s: the last is processed after ${format(drainMs)} ms`,
      );
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

  /** Returns the number of webhook messages that have arrived since the last call. */
  async #arrived(): Promise<number> {
    return (await this.#sink.counts()).arrivals.length;
  }

  /** Measures every pace, with subscriptions at these paths. */
  async measurePaces(paths: readonly string[]): Promise<Map<number, Pace>> {
    const paces = new Map<number, Pace>();
    for (const rate of RATES) {
      const name = `${rate} messages/s, ${paths.length} subscriptions`;
      const messages = rate * WINDOW_SECONDS.cost;
      const window = await this.measure(messages, () => this.send(messages, rate));
      for (const line of describeWindow(name, window)) this.#context.print(line);
      const latencies = await this.#measureLatencies(rate, paths);
      this.#context.print(`${name}, latency: ${describeLatencies(latencies)}`);
      paces.set(rate, { window, latencies });
    }
    return paces;
  }

  /** Measures the use of processor and broker while `during` runs. */
  async measure(messages: number, during: () => Promise<unknown>): Promise<Window> {
    const countAll = () => Promise.all(this.#services.map((service) => service.counts()));
    const sent = await countAll();
    const before = await machineUse();
    const started = performance.now();
    await during();
    const after = await machineUse();
    const seconds = (performance.now() - started) / 1_000;
    const counted = await countAll();
    const requests = this.#services.map(
      ({ name }, at) => [name, requestsBetween(sent[at] ?? new Map(), counted[at] ?? new Map())] as const,
    );
    return { seconds, messages, before, after, requests: new Map(requests) };
  }

  /** Measures apart from the cost, as the readers of the surfaces cost requests too. */
  async #measureLatencies(rate: number, paths: readonly string[]): Promise<LiveLatencies> {
    const surfaces = new Surfaces(this.#context, {
      prefix: this.#prefix,
      sink: this.#sink,
      ...this.#api,
      paths,
    });
    // The readers have read what there was when they have seen these.
    await this.send(rate, rate, surfaces);
    await surfaces.settle();
    await this.send(rate * WINDOW_SECONDS.latency, rate, surfaces);
    const latencies = await surfaces.settle();
    await surfaces.close();
    return latencies;
  }

  /** Stops all processes and deletes their topics, so that they cost the broker nothing more. */
  async stop(): Promise<void> {
    this.#client.close();
    await Promise.all(this.#services.map(({ process }) => process.stop()));
    await remove(this.#context.brokers, this.#prefix);
  }
}
