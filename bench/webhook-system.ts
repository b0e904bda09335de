import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientDirectory } from '#clients/directory.ts';
import { deriveKey } from '#clients/keys.ts';
import { sealWebhook } from '#clients/webhooks.ts';
import { freePort } from '#embedded/ports.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { Authority, writeCertificate, writeText } from '../test/support/certificates.ts';
import { type BenchContext, connectionEnv } from './context.ts';
import { type Running, startScript, startService } from './processes.ts';
import type { SinkCounts, SinkOptions } from './webhook-sink.ts';

const CLIENTS_KEY = 'the key of the benches, long enough for anyone';
const SECRET = '0123456789abcdef0123456789ABCDEF';
/** Padding to the size of a real message. */
const PADDING = 'x'.repeat(2_400);
const EVENTS = 100;
const WAIT_MS = 60_000;

/** Returns a generated message; its `uuid` contains the time of publication. */
function messageText(n: number, now: number): string {
  return `{"id":${n + 1},"uuid":"sent:${now}:${n}","type":"incident","data":{"event":{"id":${n % EVENTS}},"padding":"${PADDING}"}}`;
}

/** Topics under a prefix, with clients and processes. */
export class WebhookSystem {
  readonly #context: BenchContext;
  readonly #prefix: string;
  readonly #sink: Sink;

  private constructor(context: BenchContext, prefix: string, sink: Sink) {
    this.#context = context;
    this.#prefix = prefix;
    this.#sink = sink;
  }

  static async create(context: BenchContext, prefix: string, sink: Sink): Promise<WebhookSystem> {
    const registry = new Registry({ url: context.registryUrl, prefix });
    await Promise.all([createTopics({ brokers: context.brokers, prefix }), registry.registerAll()]);
    return new WebhookSystem(context, prefix, sink);
  }

  /** Creates webhooks of the client at these paths. Resolves with their ids by path. */
  async subscribe(count: number, path: (n: number) => string): Promise<ReadonlyMap<string, string>> {
    const { brokers, registryUrl } = this.#context;
    const directory = new ClientDirectory('clients', {
      brokers,
      registryUrl,
      prefix: this.#prefix,
      log: silentLogger,
    });
    const key = deriveKey(CLIENTS_KEY, 'webhooks');
    const webhooks = Array.from({ length: count }, (_, n) => {
      const webhook = { url: `${this.#sink.url}${path(n)}`, secret: SECRET };
      return sealWebhook(1, webhook, key, { created_at: Date.now() });
    });
    await directory.edit(1, (client) => ({
      client_id: 1,
      name: 'bench',
      active: true,
      secret_hash: client?.secret_hash ?? '',
      competitions: null,
      operations: null,
      may_halt: false,
      webhooks,
    }));
    return new Map(webhooks.map(({ id }, n) => [path(n), id]));
  }

  start(service: string, settings: Readonly<Record<string, string>> = {}): Running {
    return startService(service, this.#context.dir, { ...this.settings(), ...settings });
  }

  /** Returns the settings by which a service finds the topics, opens the webhooks and delivers to the sink. */
  settings(): Record<string, string> {
    return {
      ...connectionEnv(this.#context, this.#prefix),
      CLIENTS_KEY,
      DISPATCHER_PORT: '0',
      WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
      WEBHOOK_CA_FILE: this.#sink.caFile,
    };
  }

  /** Publishes `count` messages, and waits until they are acknowledged. */
  async publish(count: number): Promise<void> {
    const { brokers, registryUrl } = this.#context;
    const codec = await new Registry({ url: registryUrl, prefix: this.#prefix }).codec('webhook-messages');
    const publisher = await openPublisher({ brokers, clientId: 'bench-webhooks', log: silentLogger });
    const topic = topicName(this.#prefix, 'webhook-messages');
    const record = (n: number) => {
      const now = Date.now();
      const event_id = n % EVENTS;
      const value = codec.encode({
        uuid: `sent:${now}:${n}`,
        id: n + 1,
        event_id,
        competition_id: 1,
        type: 'incident',
        version: 1,
        in_play: true,
        message_id: null,
        ut: Math.floor(now / 1_000),
        received_at: now,
        message: Buffer.from(messageText(n, now)),
      });
      return { topic, key: String(event_id), value };
    };
    for (let sent = 0; sent < count; sent += 1_000)
      await publisher.publish(
        Array.from({ length: Math.min(1_000, count - sent) }, (_, n) => record(sent + n)),
      );
    await publisher.close();
  }
}

/** The process that receives all webhooks. */
export class Sink {
  readonly url: string;
  readonly caFile: string;
  readonly #countsUrl: string;
  readonly #process: Running;

  private constructor(process: Running, { port, countsPort }: SinkOptions, caFile: string) {
    this.#process = process;
    this.url = `https://127.0.0.1:${port}`;
    this.#countsUrl = `http://127.0.0.1:${countsPort}`;
    this.caFile = caFile;
  }

  static async start({ dir }: BenchContext): Promise<Sink> {
    const authority = await Authority.create();
    const name = `sink-${randomUUID()}`;
    const files = writeCertificate(dir, name, await authority.sign(name));
    const options: SinkOptions = { port: await freePort(), countsPort: await freePort(), ...files };
    const process = startScript('webhook-sink.ts', options, join(dir, `${name}.log`));
    return new Sink(process, options, writeText(dir, `${name}.pem`, authority.ca.cert));
  }

  /** Returns the counts since the last call. */
  async counts(): Promise<SinkCounts> {
    for (const until = performance.now() + WAIT_MS; ; await delay(100)) {
      const answer = await fetch(this.#countsUrl).catch(() => null);
      if (answer?.ok) return (await answer.json()) as SinkCounts;
      if (performance.now() > until) throw new Error('the sink does not answer');
    }
  }

  /** Waits until this number of messages has arrived, and returns all counts since the last call. */
  async until(messages: number): Promise<SinkCounts> {
    let [requests, lastAt] = [0, 0];
    const arrivals: SinkCounts['arrivals'][number][] = [];
    for (const until = performance.now() + WAIT_MS; ; await delay(200)) {
      const counts = await this.counts();
      requests += counts.requests;
      if (counts.lastAt > 0) lastAt = counts.lastAt;
      for (const arrival of counts.arrivals) arrivals.push(arrival);
      if (arrivals.length >= messages) return { requests, lastAt, arrivals };
      if (performance.now() > until)
        throw new Error(`${arrivals.length} of ${messages} messages arrived within ${WAIT_MS} ms`);
    }
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
