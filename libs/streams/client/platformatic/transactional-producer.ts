import { RefusedError, StreamError } from '../../errors.ts';
import {
  byTopic,
  type OutputRecord,
  type ProducerIdentity,
  type ProducerOptions,
  type TopicPartition,
  TRANSACTION_TIMEOUT_MS,
  type TransactionalProducer,
  type WrittenBatch,
} from '../port.ts';
import { BatchSender, batchRecords } from './batch-producer.ts';
import { type BrokerConnections, byLeader } from './connections.ts';
import { isDisconnected, toStreamError } from './errors.ts';
import {
  endLastTransaction,
  type LastTransaction,
  lastTransaction,
  UndecidedTransactions,
} from './kafka-20734/undecided-transactions.ts';
import { addPartitionsToTxnV3, endTxnV3, initProducerIdV4 } from './library.ts';
import { onCoordinator, retryTransient } from './retries.ts';

/** Opens a producer: fences earlier producers with its id, and decides their undecided transactions (docs/decisions/0050). */
export async function openTransactionalProducer(
  connections: BrokerConnections,
  options: ProducerOptions,
): Promise<TransactionalProducer> {
  const { transactionalId, signal } = options;
  const end = () => void connections.close();
  signal?.addEventListener('abort', end);
  try {
    const before = await endLastTransaction(connections, transactionalId);
    const identity = await fence(connections, transactionalId);
    const producer = new ProtocolTransactionalProducer(connections, options, identity, before);
    await producer.settle();
    return producer;
  } catch (error) {
    await connections.close();
    if (error instanceof RefusedError) throw error;
    throw toStreamError(`open transactional producer ${transactionalId}`, error);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function fence(connections: BrokerConnections, transactionalId: string): Promise<ProducerIdentity> {
  return onCoordinator(connections, transactionalId, async (coordinator) => {
    const answer = await initProducerIdV4.api.async(coordinator, transactionalId, TRANSACTION_TIMEOUT_MS);
    return { id: String(answer.producerId), epoch: answer.producerEpoch };
  });
}

/** A transactional producer built on requests, in order. After an error that is not transient its owner opens another one. */
class ProtocolTransactionalProducer implements TransactionalProducer {
  readonly identity: ProducerIdentity;
  readonly #connections: BrokerConnections;
  readonly #options: ProducerOptions;
  readonly #sender: BatchSender;
  readonly #undecided: UndecidedTransactions;

  constructor(
    connections: BrokerConnections,
    options: ProducerOptions,
    identity: ProducerIdentity,
    before: LastTransaction | null,
  ) {
    this.identity = identity;
    this.#connections = connections;
    this.#options = options;
    this.#sender = new BatchSender(connections, {
      transactionalId: options.transactionalId,
      id: BigInt(identity.id),
      epoch: identity.epoch,
    });
    this.#undecided = new UndecidedTransactions(connections, options, {
      identity,
      before,
      decide: async (partitions, decision) => {
        await this.#addPartitions(partitions);
        await this.#end(decision === 'commit');
      },
    });
  }

  /** Decides earlier producers' transactions. Rejects with FENCED, not `RefusedError`, when a newer producer has opened. */
  async settle(): Promise<void> {
    try {
      await this.#undecided.settle();
    } catch (error) {
      if (error instanceof RefusedError) await this.requireCurrent();
      throw error;
    }
  }

  async transact(
    records: readonly OutputRecord[],
    accept: (written: readonly WrittenBatch[]) => void = () => {},
  ): Promise<void> {
    if (records.length === 0) return;
    const batches = batchRecords(records);
    try {
      await this.#begin(batches.flat());
      accept(await this.#sender.send(batches));
      await this.#end(true);
      this.#undecided.committed(batches.flat());
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      throw toStreamError(`transaction of ${this.#options.transactionalId}`, error);
    }
  }

  async requireCurrent(): Promise<void> {
    const { transactionalId } = this.#options;
    const doing = `look up the owner of ${transactionalId}`;
    const last = await lastTransaction(this.#connections, transactionalId).catch((error: unknown) => {
      throw toStreamError(doing, error);
    });
    const { id, epoch } = this.identity;
    if (last !== null && (last.producer.id !== id || last.producer.epoch !== epoch))
      throw new StreamError('FENCED', `${doing}: a newer producer has it`);
  }

  async requireDecided(): Promise<void> {
    try {
      await this.#undecided.requireLast();
    } catch (error) {
      if (error instanceof StreamError && error.code === 'UNDECIDED') throw error;
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /**
   * Begins a transaction, once more after a lost connection. No record before the response: a partition without the last markers
   * would add it to that transaction (test/system/faults/unfinished-commit.release.test.ts).
   */
  async #begin(partitions: readonly TopicPartition[]): Promise<void> {
    await this.#reach(partitions);
    try {
      await this.#addPartitions(partitions);
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      await this.#reach(partitions);
      await this.#addPartitions(partitions);
    }
  }

  /** Connects to the brokers of a transaction. Rejects with UNDECIDED when the previous transaction is open in a partition. */
  async #reach(partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this.#options;
    await retryTransient(
      () =>
        Promise.all([
          this.#connections.coordinator('transaction', transactionalId),
          byLeader(this.#connections, partitions),
        ]),
      () => this.#connections.forget(),
    );
    await this.#undecided.require(partitions);
  }

  async #addPartitions(partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this.#options;
    const { id, epoch } = this.identity;
    const added = {
      transactionalId,
      producerId: BigInt(id),
      producerEpoch: epoch,
      verifyOnly: false,
      topics: byTopic(partitions).map(([name, ofTopic]) => ({ name, partitions: ofTopic })),
    };
    await onCoordinator(this.#connections, transactionalId, (coordinator) =>
      addPartitionsToTxnV3.api.async(coordinator, [added]),
    );
  }

  async #end(commit: boolean): Promise<void> {
    const { transactionalId } = this.#options;
    const { id, epoch } = this.identity;
    await onCoordinator(this.#connections, transactionalId, (coordinator) =>
      endTxnV3.api.async(coordinator, transactionalId, BigInt(id), epoch, commit),
    );
  }
}
