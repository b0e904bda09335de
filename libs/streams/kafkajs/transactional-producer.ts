import { setTimeout as delay } from 'node:timers/promises';
import type { Kafka, Producer, Transaction } from 'kafkajs';
import { type CommitPosition, type OutputRecord, partitionKey, type TransactionalProducer } from '../port.ts';
import { splitRounds } from '../rounds.ts';
import { isPassing, toStreamError } from './errors.ts';

/** An abandoned transaction holds up every read-committed reader of its partitions for this long. */
const TRANSACTION_TIMEOUT_MS = 10_000;
/** How long the coordinator may be busy with the transaction before, or on its way, before the producer gives up. */
const COORDINATOR_PATIENCE_MS = 5_000;

/** Opens the producer and fences the owner before it. */
export async function openTransactionalProducer(
  kafka: Kafka,
  transactionalId: string,
): Promise<TransactionalProducer> {
  const producer = kafka.producer({
    transactionalId,
    idempotent: true,
    maxInFlightRequests: 1,
    transactionTimeout: TRANSACTION_TIMEOUT_MS,
    allowAutoTopicCreation: false,
    // Bounded: a task that cannot reach the broker is taken anew, with a look at what was committed.
    retry: { initialRetryTime: 5, maxRetryTime: 1_000, retries: 12 },
  });
  try {
    await producer.connect();
    // kafkajs asks for the producer's epoch, which is the fence, with the first transaction.
    await (await producer.transaction()).abort();
  } catch (error) {
    await producer.disconnect().catch(() => {});
    throw toStreamError(`open transactional producer ${transactionalId}`, error);
  }
  return new KafkaJsTransactionalProducer(producer, transactionalId);
}

class KafkaJsTransactionalProducer implements TransactionalProducer {
  readonly #producer: Producer;
  readonly #id: string;

  constructor(producer: Producer, id: string) {
    this.#producer = producer;
    this.#id = id;
  }

  async transact(
    records: readonly OutputRecord[],
    position: CommitPosition | null,
  ): Promise<ReadonlyMap<string, number>> {
    try {
      const transaction = await this.#producer.transaction();
      const written = await sendAll(transaction, records);
      if (position !== null) await sendPosition(transaction, position);
      await transaction.commit();
      return written;
    } catch (error) {
      throw toStreamError(`transaction of ${this.#id}`, error);
    }
  }

  async close(): Promise<void> {
    await this.#producer.disconnect().catch(() => {});
  }
}

async function sendAll(
  transaction: Transaction,
  records: readonly OutputRecord[],
): Promise<ReadonlyMap<string, number>> {
  const written = new Map<string, number>();
  for (const round of splitRounds(records)) {
    const topicMessages = [...round].map(([topic, messages]) => ({ topic, messages }));
    const counts = new Map<string, number>();
    for (const [topic, messages] of round) {
      for (const { partition } of messages) {
        const key = partitionKey({ topic, partition });
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    for (const { topicName, partition, baseOffset } of await transaction.sendBatch({
      topicMessages,
      acks: -1,
    })) {
      const key = partitionKey({ topic: topicName, partition });
      written.set(key, Number(baseOffset) + (counts.get(key) ?? 1) - 1);
    }
  }
  return written;
}

/** kafkajs does not retry this one. */
async function sendPosition(transaction: Transaction, position: CommitPosition): Promise<void> {
  const deadline = performance.now() + COORDINATOR_PATIENCE_MS;
  for (;;) {
    try {
      return await transaction.sendOffsets({
        consumerGroupId: position.group,
        topics: [
          {
            topic: position.topic,
            partitions: [{ partition: position.partition, offset: String(position.next) }],
          },
        ],
      });
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await delay(2);
    }
  }
}
