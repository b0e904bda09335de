import type { TopicValues } from '#records/types.ts';
import { loadConfig } from '#service/config.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics, type Registry as Metrics } from '#service/metrics.ts';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { StreamError } from '#streams/errors.ts';
import { Registry } from '#topics/registry.ts';
import type { TopicName } from '#topics/topics.ts';
import { settings as receiverSettings } from '../../../services/webhook-receiver/config.ts';
import { type ReceiverContext, startReceiver } from '../../../services/webhook-receiver/service.ts';
import { connectionEnv } from '../../support/environment.ts';
import { until } from '../../support/poll.ts';
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
    start: Pick<ReceiverContext, 'connectTimeoutMs'> = {},
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
      ...start,
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
  read<T extends TopicName>(topic: T): Promise<TopicValues[T][]> {
    return readValues(this.connection, topic);
  }
}

/** Returns the headers that the provider sends with a body. */
export function signed(
  body: Buffer | string,
  { timestamp = fresh(), secret = SECRET }: { timestamp?: string; secret?: string } = {},
): Record<string, string> {
  return {
    'content-type': 'application/json',
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: sign(Buffer.from(body), timestamp, secret),
  };
}

/** Returns a time five minutes from now, Unix seconds. */
function fresh(): string {
  return String(Math.floor(Date.now() / 1000) + 300);
}

/** Returns every value of a topic. Waits for a broker that has just restarted and knows no groups yet. */
function readValues<T extends TopicName>(connection: ReceiverTopics, topic: T): Promise<TopicValues[T][]> {
  return until(`${topic} can be read`, async () => {
    try {
      return await readValuesNow(connection, topic);
    } catch (error) {
      if (error instanceof StreamError && error.code === 'UNAVAILABLE') return undefined;
      throw error;
    }
  });
}

async function readValuesNow<T extends TopicName>(
  connection: ReceiverTopics,
  topic: T,
): Promise<TopicValues[T][]> {
  const registry = Registry.open({ url: connection.registryUrl, prefix: connection.prefix });
  const values: TopicValues[T][] = [];
  await readEvery(topic, { ...connection, registry }, (value) => void values.push(value));
  return values;
}
