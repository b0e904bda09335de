/** Topics of a test with what is put on them. */
import kafkajs, { type Kafka } from 'kafkajs';
import { onTestFinished } from 'vitest';
import { topicSettings } from '#topics/admin.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { isByEvent, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { placeEnv } from '../../support/environment.ts';
import { leadersAnswer, makeTopics } from '../../support/topics.ts';

type Entry<T extends TopicName> = {
  readonly key: string;
  readonly value: TopicValues[T] | Buffer | null;
  readonly partition?: number;
  /** When it says that it was written, Unix milliseconds; default: now. */
  readonly written?: number;
};

/** Topics under a prefix of their own, and writers for them. */
export class TestTopics {
  readonly prefix: string;
  /** The environment that leads `touchline` here. */
  readonly env: Readonly<Record<string, string>>;
  readonly kafka: Kafka;
  readonly #brokers: readonly string[];
  readonly #registry: Registry;

  private constructor(brokers: string[], registryUrl: string, prefix: string) {
    this.prefix = prefix;
    this.#brokers = brokers;
    this.env = placeEnv({ brokers, registryUrl, prefix });
    this.kafka = new kafkajs.Kafka({
      brokers,
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { initialRetryTime: 10, maxRetryTime: 500, retries: 20 },
    });
    this.#registry = Registry.open({ url: registryUrl, prefix });
  }

  /** With these topics alone, those of a match with so many partitions; on the broker of the run. */
  static async create(topics: readonly TopicName[], partitions = 2): Promise<TestTopics> {
    const { brokers, registryUrl, prefix } = backbone();
    await makeTopics(
      brokers,
      topics.map((topic) => ({
        topic: topicName(prefix, topic),
        numPartitions: isByEvent(topic) ? partitions : TOPICS[topic].partitions,
        configEntries: Object.entries(topicSettings(TOPICS[topic])).map(([name, value]) => ({ name, value })),
      })),
    );
    return new TestTopics(brokers, registryUrl, prefix);
  }

  async write<T extends TopicName>(topic: T, entries: readonly Entry<T>[]): Promise<void> {
    await leadersAnswer(this.#brokers, topicName(this.prefix, topic));
    // A partition that took its part of a request must not take it again when another one was not ready for its own.
    const producer = this.kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    await producer.send({
      topic: topicName(this.prefix, topic),
      messages: await this.#messages(topic, entries),
    });
    await producer.disconnect();
  }

  /** The groups on the broker that `touchline` uses to read these topics. */
  async readerGroups(): Promise<string[]> {
    const admin = this.kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    const { groups } = await admin.listGroups();
    return groups
      .map(({ groupId }) => groupId)
      .filter((id) => id.startsWith(`touchline-reader-${this.prefix}`));
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
