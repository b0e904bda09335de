import { type Admin, Kafka } from 'kafkajs';
import type { Logger } from '../log.ts';
import type {
  GroupConsumer,
  GroupOptions,
  StreamClient,
  TopicPartition,
  TransactionalProducer,
} from '../port.ts';
import { toStreamError } from './errors.ts';
import { KafkaJsGroupConsumer } from './group-consumer.ts';
import { kafkaLogCreator } from './log-creator.ts';
import { openTransactionalProducer } from './transactional-producer.ts';

export type KafkaOptions = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: Logger;
};

/** A kafkajs client whose log lines go to `log`. */
export function createKafka({ brokers, clientId, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    logCreator: kafkaLogCreator(log),
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    // A transaction begun while the last one completes is told to try again: at the default of 300 ms that
    // alone would be the median latency.
    retry: { initialRetryTime: 5, maxRetryTime: 1_000, retries: 12 },
  });
}

/** The port on kafkajs. */
export function openKafkaJsClient(options: KafkaOptions): StreamClient {
  return new KafkaJsClient(createKafka(options), options.log);
}

class KafkaJsClient implements StreamClient {
  readonly #kafka: Kafka;
  readonly #log: Logger;

  constructor(kafka: Kafka, log: Logger) {
    this.#kafka = kafka;
    this.#log = log;
  }

  openTransactionalProducer(transactionalId: string): Promise<TransactionalProducer> {
    return openTransactionalProducer(this.#kafka, transactionalId);
  }

  openGroupConsumer(options: GroupOptions): GroupConsumer {
    return new KafkaJsGroupConsumer(this.#kafka, options, this.#log);
  }

  async committedOffset(group: string, { topic, partition }: TopicPartition): Promise<number | null> {
    const offsets = await this.#withAdmin(`read committed offset of ${topic}-${partition}`, (admin) =>
      admin.fetchOffsets({ groupId: group, topics: [topic] }),
    );
    const found = offsets[0]?.partitions.find((entry) => entry.partition === partition);
    return found === undefined || found.offset === '-1' ? null : Number(found.offset);
  }

  async earliestOffset({ topic, partition }: TopicPartition): Promise<number> {
    const offsets = await this.#withAdmin(`read earliest offset of ${topic}-${partition}`, (admin) =>
      admin.fetchTopicOffsets(topic),
    );
    return Number(offsets.find((entry) => entry.partition === partition)?.low ?? 0);
  }

  /** A connection for each use: takeovers are rare, and a broker that went away leaves nothing stale behind. */
  async #withAdmin<T>(doing: string, use: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      return await use(admin);
    } catch (error) {
      throw toStreamError(doing, error);
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }
}
