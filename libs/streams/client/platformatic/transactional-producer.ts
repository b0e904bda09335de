import {
  addPartitionsToTxnV3,
  type Connection,
  describeTransactionsV0,
  endTxnV3,
  initProducerIdV4,
} from '@platformatic/kafka';
import { RefusedError, StreamError } from '../../errors.ts';
import {
  type OpenTransaction,
  type OutputRecord,
  type ProducerIdentity,
  type ProducerOptions,
  partitionKey,
  type TopicPartition,
  type TransactionalProducer,
} from '../port.ts';
import { splitRounds } from '../rounds.ts';
import type { Connections } from './connections.ts';
import { hasCode, isDisconnected, toStreamError } from './errors.ts';
import { byLeader, openTransactions, requestTopics } from './open-transactions.ts';
import { retryTransient } from './retry.ts';
import { RoundSender } from './round-sender.ts';

/** An abandoned transaction holds up every read-committed reader of its partitions for this long. */
const TRANSACTION_TIMEOUT_MS = 10_000;
/** How long the markers of a transaction that was answered as committed may take to be in every partition. */
const MARKERS_MS = 5_000;
const LOOK_MS = 20;
/** States in which the coordinator has decided to commit. */
const COMMITTING = ['PrepareCommit', 'CompleteCommit'];
/** States that tell nothing of the last transaction: its producer was opened again since, or it never had one. */
const FORGOTTEN = ['Empty', 'Dead'];

/**
 * Opens the producer in the order that docs/decisions/0050 explains: ask the coordinator how the last transaction stands;
 * fence; look for what is still open in every partition that the producer may write to; decide all of that alike; look again.
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

/** How the coordinator sees the last transaction; null where it does not know the id. */
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
 * A transactional producer straight on the protocol: every request of a transaction once, each after the answer to the one
 * before.
 * Nothing is retried but what the broker says is a matter of milliseconds; after anything else the outcome is unknown, and
 * the owner opens another one.
 */
class ProtocolTransactionalProducer implements TransactionalProducer {
  readonly identity: ProducerIdentity;
  readonly #connections: Connections;
  readonly #options: ProducerOptions;
  readonly #sender: RoundSender;
  /** Connections that were open when it was last known that no transaction is undecided. */
  #seen = 0;

  constructor(connections: Connections, options: ProducerOptions, identity: ProducerIdentity) {
    this.identity = identity;
    this.#connections = connections;
    this.#options = options;
    this.#sender = new RoundSender(connections, {
      transactionalId: options.transactionalId,
      id: BigInt(identity.id),
      epoch: identity.epoch,
    });
  }

  async transact(records: readonly OutputRecord[]): Promise<void> {
    if (records.length === 0) return;
    const rounds = splitRounds(records);
    try {
      await this.#begin(rounds.flat());
      await this.#sender.send(rounds);
      await this.#end(true);
    } catch (error) {
      throw toStreamError(`transaction of ${this.#options.transactionalId}`, error);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Decides what a broker left undecided of the transactions before this producer was opened. */
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
   * How an open transaction was decided; null where nobody knows. Where the coordinator has forgotten, it was aborted, unless
   * a transaction of that epoch was committed: then it may be the one, with its markers in some partitions only.
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
   * Begins a transaction. Its first request may meet a connection that the broker has just closed for idleness. No record may
   * be on its way before it is answered: where the markers of the transaction before are not written yet, a partition takes
   * records for that one, and commits them with it (test/system/faults/unfinished-commit.test.ts).
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
   * Connections to the brokers of a transaction. Where one of them is new, the broker may have gone away and left the
   * transaction before without its markers (KAFKA-20734), which this one would decide along with itself: rejects with
   * UNDECIDED then.
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

  /** What is still open of this producer once the broker had its time; empty where nothing is. */
  async #untilDecided(): Promise<readonly OpenTransaction[]> {
    const deadline = performance.now() + MARKERS_MS;
    for (;;) {
      const open = await this.#openTransactions();
      const ours = open.filter(({ producer }) => producer.id === this.identity.id);
      if (ours.length === 0 || performance.now() > deadline) return ours;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
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
