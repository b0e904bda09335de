/** Topics of a test, and writers for them. */
import type { TopicValues } from '#records/types.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { connectionEnv } from '../../support/environment.ts';
import { createKafka } from '../../support/kafkajs.ts';
import { leadersAnswer, makeOnly } from '../../support/topics.ts';

type Entry<T extends TopicName> = {
  readonly key: string;
  readonly value: TopicValues[T] | Buffer | null;
  readonly partition?: number;
  /** Timestamp of the record, Unix milliseconds; default: now. */
  readonly written?: number;
};

/** Topics with a prefix of their own. */
export class TestTopics {
  readonly prefix: string;
  /** The environment with which `touchline` uses these topics. */
  readonly env: Readonly<Record<string, string>>;
  readonly #brokers: readonly string[];
  readonly #registry: Registry;

  private constructor(brokers: string[], registryUrl: string, prefix: string) {
    this.prefix = prefix;
    this.#brokers = brokers;
    this.env = connectionEnv({ brokers, registryUrl, prefix });
    this.#registry = new Registry({ url: registryUrl, prefix });
  }

  /** Creates only these topics on the broker of the run; topics of a match get `partitions`. */
  static async create(topics: readonly TopicName[], partitions = 2): Promise<TestTopics> {
    const { brokers, registryUrl, prefix } = backbone();
    const names = topics.map((topic) => topicName(prefix, topic));
    await makeOnly(new Set(names), { brokers, prefix, partitions });
    return new TestTopics(brokers, registryUrl, prefix);
  }

  async write<T extends TopicName>(topic: T, entries: readonly Entry<T>[]): Promise<void> {
    await leadersAnswer(this.#brokers, topicName(this.prefix, topic));
    // When one partition is not ready, a retry must not write to the others again.
    const kafka = createKafka({ brokers: this.#brokers, clientId: 'another writer' });
    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    await producer.send({
      topic: topicName(this.prefix, topic),
      messages: await this.#messages(topic, entries),
    });
    await producer.disconnect();
  }

  /** Returns the consumer groups of `touchline` for these topics. */
  async readerGroups(): Promise<string[]> {
    const groups = await withAdmin(this.#brokers, (admin) => admin.listGroups());
    return [...groups.keys()].filter((id) => id.startsWith(`touchline-reader-${this.prefix}`));
  }

  async #messages<T extends TopicName>(topic: T, entries: readonly Entry<T>[]) {
    const codec = await this.#registry.codec(topic);
    return entries.map(({ key, value, partition, written }) => ({
      key,
      value: value === null || Buffer.isBuffer(value) ? value : codec.encode(value),
      ...(partition === undefined ? {} : { partition }),
      ...(written === undefined ? {} : { timestamp: String(written) }),
    }));
  }
}

/** Creates every topic and registers every schema. Returns the cluster and the settings for it. */
export async function initializedCluster(): Promise<{
  connection: TestBackbone;
  env: Record<string, string>;
}> {
  const connection = backbone();
  const { brokers, registryUrl, prefix } = connection;
  await createTopics({ brokers, prefix, partitions: 2 });
  await new Registry({ url: registryUrl, prefix }).registerAll();
  return { connection, env: connectionEnv(connection) };
}
