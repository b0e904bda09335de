import type { TopicValues } from '#records/types.ts';
import { loadConfig } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics, type Registry as Metrics } from '#service/metrics.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { Registry } from '#topics/registry.ts';
import type { TopicName } from '#topics/topics.ts';
import { settings as receiverSettings } from '../../../services/webhook-receiver/config.ts';
import { startReceiver } from '../../../services/webhook-receiver/service.ts';
import { connectionEnv } from '../../support/environment.ts';
import { readEvery } from '../../support/read-records.ts';
import { makeTopicsOf } from '../../support/topics.ts';

/** The secret of the tests. */
export const SECRET = '0123456789abcdef0123456789ABCDEF';

/** The receiver's topics. */
export const WRITTEN = ['raw-messages', 'normalized-messages', 'dead-letters'] as const;

/** The broker, registry and topic prefix of a test's receiver. */
export type ReceiverTopics = {
  readonly brokers: string[];
  readonly registryUrl: string;
  readonly prefix: string;
};

/** The parts of an answer that a sender reads. */
type ReceiverAnswer = { readonly status: number; readonly text: string; readonly headers: Headers };

/** A receiver in this process, on a free port, with its own topics. */
export class TestReceiver {
  readonly connection: ReceiverTopics;
  readonly port: number;
  readonly metrics: Metrics;
  readonly #stop: () => Promise<void>;

  private constructor(connection: ReceiverTopics, port: number, metrics: Metrics, stop: () => Promise<void>) {
    this.connection = connection;
    this.port = port;
    this.metrics = metrics;
    this.#stop = stop;
  }

  /** Creates the topics and starts the receiver; `settings` override its defaults. */
  static async start(
    connection: ReceiverTopics,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<TestReceiver> {
    await makeTopicsOf(['webhook-receiver'], { ...connection, partitions: 2 });
    return TestReceiver.startOn(connection, settings);
  }

  /** Starts the receiver on existing topics; `settings` override its defaults. */
  static async startOn(
    connection: ReceiverTopics,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<TestReceiver> {
    const config = loadConfig(receiverSettings, {
      ...connectionEnv(connection),
      WEBHOOK_PORT: '0',
      WEBHOOK_SECRET: SECRET,
      LOG_LEVEL: 'silent',
      ...settings,
    });
    const metrics = createMetrics('webhook-receiver');
    const receiver = await startReceiver({
      config,
      logger: createLogger({ name: 'webhook-receiver', level: 'silent' }),
      metrics,
      draining: new AbortController().signal,
    });
    return new TestReceiver(connection, receiver.port, metrics, () => receiver.stop());
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/webhook`;
  }

  /** Posts a body like the provider. `headers` override the provider's; null removes one. */
  async post(
    body: Buffer | string,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<ReceiverAnswer> {
    const all = Object.entries({ ...signed(body), ...headers }).filter(
      (pair): pair is [string, string] => pair[1] !== null,
    );
    const response = await fetch(this.url, { method: 'POST', body: Buffer.from(body), headers: all });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Returns the value of `touchline_webhook_<name>`. */
  async metric(name: string): Promise<number> {
    const text = await this.metrics.metrics();
    return Number(new RegExp(`^touchline_webhook_${name}\\{.*\\} (.+)$`, 'm').exec(text)?.[1]);
  }

  /** Returns the number of records on each topic. */
  async counts(): Promise<Record<(typeof WRITTEN)[number], number>> {
    const [raw, normalized, dead] = await Promise.all(
      WRITTEN.map(async (topic) => (await this.read(topic)).length),
    );
    return { 'raw-messages': raw ?? 0, 'normalized-messages': normalized ?? 0, 'dead-letters': dead ?? 0 };
  }

  /** Returns every value of a topic. */
  async read<T extends TopicName>(topic: T): Promise<TopicValues[T][]> {
    const { registryUrl: url, prefix } = this.connection;
    const values: TopicValues[T][] = [];
    const source = { ...this.connection, registry: new Registry({ url, prefix }) };
    await readEvery(topic, source, (value) => void values.push(value));
    return values;
  }
}

/** Returns the headers that the provider sends with a body. `sentAt`: Unix milliseconds. */
export function signed(
  body: Buffer | string,
  { secret = SECRET, sentAt = Date.now() }: { readonly secret?: string; readonly sentAt?: number } = {},
): Record<string, string> {
  return { 'content-type': 'application/json', ...signatureHeaders(Buffer.from(body), secret, sentAt) };
}
