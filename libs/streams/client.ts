import type { Admin, Kafka } from 'kafkajs';
import { toStreamError } from './kafkajs/errors.ts';
import { KafkaJsGroupConsumer } from './kafkajs/group-consumer.ts';
import { createKafka, type KafkaOptions } from './kafkajs/kafka.ts';
import { openTransactionalProducer } from './platformatic/transactional-producer.ts';
import type {
  GroupConsumer,
  GroupOptions,
  StreamClient,
  TopicPartition,
  TransactionalProducer,
} from './port.ts';

/**
 * The client under the runtime: kafkajs for the group and what is read, @platformatic/kafka for transactions
 * (docs/decisions/0005).
 */
export function openStreamClient(options: KafkaOptions): StreamClient {
  return new ComposedClient(options);
}

class ComposedClient implements StreamClient {
  readonly #options: KafkaOptions;
  readonly #kafka: Kafka;

  constructor(options: KafkaOptions) {
    this.#options = options;
    this.#kafka = createKafka(options);
  }

  openTransactionalProducer(transactionalId: string): Promise<TransactionalProducer> {
    const { brokers, clientId } = this.#options;
    return openTransactionalProducer(brokers, clientId, transactionalId);
  }

  openGroupConsumer(options: GroupOptions): GroupConsumer {
    return new KafkaJsGroupConsumer(this.#kafka, options, this.#options.log);
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
