import type { Kafka } from 'kafkajs';
import { toStreamError } from './kafkajs/errors.ts';
import { KafkaJsGroupConsumer } from './kafkajs/group-consumer.ts';
import { createKafka, type KafkaOptions } from './kafkajs/kafka.ts';
import { readCommittedOffset } from './platformatic/committed-offset.ts';
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
 * and the positions they commit (docs/decisions/0005).
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

  committedOffset(group: string, of: TopicPartition): Promise<number | null> {
    const { brokers, clientId } = this.#options;
    return readCommittedOffset(brokers, clientId, group, of);
  }

  /** A connection for each use: takeovers are rare, and a broker that went away leaves nothing stale behind. */
  async earliestOffset({ topic, partition }: TopicPartition): Promise<number> {
    const admin = this.#kafka.admin();
    try {
      await admin.connect();
      const offsets = await admin.fetchTopicOffsets(topic);
      return Number(offsets.find((entry) => entry.partition === partition)?.low ?? 0);
    } catch (error) {
      throw toStreamError(`read earliest offset of ${topic}-${partition}`, error);
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }
}
