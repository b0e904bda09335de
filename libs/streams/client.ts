import type { Kafka } from 'kafkajs';
import { KafkaJsGroupConsumer } from './kafkajs/group-consumer.ts';
import { createKafka, type KafkaOptions } from './kafkajs/kafka.ts';
import { committedOffsets, listOffsets } from './platformatic/offsets.ts';
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
 * and offsets (docs/decisions/0005).
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
    return (await committedOffsets({ ...this.#options, topic }, group, [partition])).get(partition) ?? null;
  }

  async earliestOffset({ topic, partition }: TopicPartition): Promise<number> {
    return (await listOffsets({ ...this.#options, topic }, 'earliest')).get(partition) ?? 0;
  }
}
