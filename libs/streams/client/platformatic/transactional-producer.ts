import { poll } from '#timing/poll.ts';
import { RefusedError, StreamError } from '../../errors.ts';
import {
  type OpenTransaction,
  type OutputRecord,
  type ProducerIdentity,
  type ProducerOptions,
  partitionKey,
  type TopicPartition,
  TRANSACTION_TIMEOUT_MS,
  type TransactionalProducer,
  type WrittenBatch,
} from '../port.ts';
import { batchRecords } from '../produce-batches.ts';
import { byLeader, type Connections, retryTransient } from './connections.ts';
import { hasCode, isDisconnected, toStreamError } from './errors.ts';
import {
  addPartitionsToTxnV3,
  type Connection,
  describeTransactionsV0,
  endTxnV3,
  initProducerIdV4,
} from './library.ts';
import { openTransactions, requestTopics } from './open-transactions.ts';
import { BatchSender } from './produce.ts';

/** How long a committed transaction's markers may take to reach every partition. */
const MARKERS_MS = 5_000;
const LOOK_MS = 20;
/** States in which the coordinator has decided to commit. */
const COMMITTING = ['PrepareCommit', 'CompleteCommit'];
/** States without information on the last transaction: its producer was opened again since, or never had one. */
const FORGOTTEN = ['Empty', 'Dead'];

/**
 * Opens the producer in the order of docs/decisions/0050: ask the coordinator for the state of the last transaction;
 * fence; list open transactions in every partition that the producer may write to; decide all of them alike; list again.
 */
export async function openTransactionalProducer(
  connections: Connections,
  options: ProducerOptions,
): Promise<TransactionalProducer> {
  const { transactionalId, signal } = options;
  const end = () => void connections.close();
  signal?.addEventListener('abort', end);
  try {
    const before = await describe(connections, transactionalId);
    const identity = await fence(connections, transactionalId);
    const producer = new ProtocolTransactionalProducer(connections, options, identity);
    await producer.settle(before);
    return producer;
  } catch (error) {
    await connections.close();
    if (error instanceof RefusedError) throw error;
    throw toStreamError(`open transactional producer ${transactionalId}`, error);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

type Described = { readonly state: string; readonly producerId: string };

/** The coordinator's state of the last transaction; null where it does not know the id. */
async function describe(connections: Connections, transactionalId: string): Promise<Described | null> {
  try {
    return await onCoordinator(connections, transactionalId, async (coordinator) => {
      const { transactionStates } = await describeTransactionsV0.api.async(coordinator, [transactionalId]);
      const [found] = transactionStates;
      if (found === undefined) return null;
      return { state: found.transactionState, producerId: String(found.producerId) };
    });
  } catch (error) {
    if (hasCode(error, ['TRANSACTIONAL_ID_NOT_FOUND'])) return null;
    throw error;
  }
}

function fence(connections: Connections, transactionalId: string): Promise<ProducerIdentity> {
  return onCoordinator(connections, transactionalId, async (coordinator) => {
    const answer = await initProducerIdV4.api.async(coordinator, transactionalId, TRANSACTION_TIMEOUT_MS);
    return { id: String(answer.producerId), epoch: answer.producerEpoch };
  });
}

function onCoordinator<T>(
  connections: Connections,
  transactionalId: string,
  ask: (coordinator: Connection) => Promise<T>,
): Promise<T> {
  return retryTransient(async () => ask(await connections.coordinator('transaction', transactionalId)), {
    forget: () => connections.forget(),
  });
}

/**
 * A transactional producer on the bare protocol: every request of a transaction once, each after the answer to the one
 * before. Retries only errors that the broker calls transient; after any other error the outcome is unknown, and the
 * owner opens another producer.
 */
class ProtocolTransactionalProducer implements TransactionalProducer {
  readonly identity: ProducerIdentity;
  readonly #connections: Connections;
  readonly #options: ProducerOptions;
  readonly #sender: BatchSender;
  /** Open connections when no transaction was last known to be undecided. */
  #seen = 0;

  constructor(connections: Connections, options: ProducerOptions, identity: ProducerIdentity) {
    this.identity = identity;
    this.#connections = connections;
    this.#options = options;
    this.#sender = new BatchSender(connections, {
      transactionalId: options.transactionalId,
      id: BigInt(identity.id),
      epoch: identity.epoch,
    });
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
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      throw toStreamError(`transaction of ${this.#options.transactionalId}`, error);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Decides the undecided transactions from before this producer was opened. */
  async settle(before: Described | null): Promise<void> {
    const open = await this.#openTransactions();
    const ours = open.filter(({ producer }) => producer.id === this.identity.id);
    const [stranger] = open.filter(
      (one) =>
        one.producer.id !== this.identity.id && (one.producer.id === before?.producerId || this.#isOwn(one)),
    );
    if (stranger !== undefined) throw hanging(this.#options.transactionalId, stranger);
    const [first] = ours;
    if (first !== undefined) {
      const decision = await this.#decisionOn(before, first.producer);
      if (decision === null) throw hanging(this.#options.transactionalId, first);
      await this.#addPartitions(ours);
      await this.#end(decision === 'commit');
      const [left] = await this.#untilDecided();
      if (left !== undefined) throw hanging(this.#options.transactionalId, left);
    }
    this.#seen = this.#connections.opened;
  }

  /**
   * How an open transaction was decided; null where unknown. Where the coordinator no longer knows it, it was aborted,
   * unless the producer's epoch committed one: then it may be that one, with its markers in some partitions only.
   */
  async #decisionOn(
    before: Described | null,
    { id, epoch }: ProducerIdentity,
  ): Promise<'commit' | 'abort' | null> {
    if (before !== null && !FORGOTTEN.includes(before.state))
      return COMMITTING.includes(before.state) ? 'commit' : 'abort';
    const last = await this.#options.lastCommitted();
    return last?.id === id && last.epoch === epoch ? null : 'abort';
  }

  #isOwn(one: TopicPartition): boolean {
    return this.#options.own.some((own) => partitionKey(own) === partitionKey(one));
  }

  /**
   * Begins a transaction. Its first request may meet a connection that the broker has just closed for idleness. No record
   * may be sent before the answer: where the markers of the previous transaction are missing, a partition adds records to
   * that one, and commits them with it (test/system/faults/unfinished-commit.test.ts).
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

  /**
   * Connections to the brokers of a transaction. Where one is new, its broker may have restarted without the markers of the
   * previous transaction (KAFKA-20734), which this one would decide along with itself: then rejects with UNDECIDED.
   */
  async #reach(partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this.#options;
    await retryTransient(
      () =>
        Promise.all([
          this.#connections.coordinator('transaction', transactionalId),
          byLeader(this.#connections, partitions),
        ]),
      { forget: () => this.#connections.forget() },
    );
    await this.#verify();
  }

  async #verify(): Promise<void> {
    const { opened } = this.#connections;
    if (opened === this.#seen) return;
    const [left] = await this.#untilDecided();
    if (left !== undefined)
      throw new StreamError(
        'UNDECIDED',
        `${partitionKey(left)} has a transaction open from offset ${left.start}`,
      );
    this.#seen = this.#connections.opened;
  }

  /** This producer's open transactions after the broker had time to write markers; empty where there is none. */
  async #untilDecided(): Promise<readonly OpenTransaction[]> {
    let ours: readonly OpenTransaction[] = [];
    const decided = async (): Promise<boolean> => {
      const open = await this.#openTransactions();
      ours = open.filter(({ producer }) => producer.id === this.identity.id);
      return ours.length === 0;
    };
    await poll(decided, { timeoutMs: MARKERS_MS, everyMs: LOOK_MS });
    return ours;
  }

  #openTransactions(): Promise<OpenTransaction[]> {
    return openTransactions(this.#connections, [...this.#options.own, ...this.#options.shared]);
  }

  async #addPartitions(partitions: readonly TopicPartition[]): Promise<void> {
    const { transactionalId } = this.#options;
    const topics = requestTopics(partitions).map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes,
    }));
    await onCoordinator(this.#connections, transactionalId, (coordinator) =>
      addPartitionsToTxnV3.api.async(coordinator, [
        {
          transactionalId,
          producerId: BigInt(this.identity.id),
          producerEpoch: this.identity.epoch,
          verifyOnly: false,
          topics,
        },
      ]),
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

function hanging(
  transactionalId: string,
  { topic, partition, producer, start }: OpenTransaction,
): RefusedError {
  return new RefusedError(
    'HANGING_TRANSACTION',
    `${topic}-${partition} has a transaction of producer ${producer.id} open from offset ${start} that ${transactionalId} ` +
      `cannot decide: end it with kafka-transactions.sh --bootstrap-server <broker> abort --topic ${topic} ` +
      `--partition ${partition} --start-offset ${start}`,
  );
}
