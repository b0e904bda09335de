/**
 * Repairs what brokers with KAFKA-20734 leave of a producer's transactions: open in some partitions, although the
 * coordinator has decided them (docs/known-issues.md). Nothing else needs it: with the last such release this folder goes,
 * with its uses in transactional-producer.ts, `own`, `shared` and `lastCommitted` of the port, and the uses of detection.ts.
 */

import type { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import { hasCode } from '#streams/client/platformatic/errors.ts';
import { describeTransactionsV0, endTxnV3 } from '#streams/client/platformatic/library.ts';
import { onCoordinator } from '#streams/client/platformatic/retries.ts';
import {
  type ProducerIdentity,
  type ProducerOptions,
  partitionKey,
  type TopicPartition,
} from '#streams/client/port.ts';
import { RefusedError, StreamError } from '#streams/errors.ts';
import { poll } from '#timing/poll.ts';
import { type OpenTransaction, openTransactions, openWhereReachable } from './open-transactions.ts';

/** How long a committed transaction's markers may take to reach every partition. */
const MARKERS_MS = 5_000;
/** How long a claim waits for leaders of shared partitions, which it may not need. */
const SHARED_MS = 500;
const LOOK_MS = 20;
/** Between looks at shared partitions that had no leader and are not written to. */
const UNCHECKED_MS = 5_000;
/** States in which the coordinator has decided to commit. */
const COMMITTING = ['PrepareCommit', 'CompleteCommit'];
/** Where the transaction was ended meanwhile: by its producer, by its timeout, or by another claim. */
const ENDED = [
  'INVALID_TXN_STATE',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
];
/** States without information on the last transaction: its producer was opened again since, or never had one. */
const FORGOTTEN = ['Empty', 'Dead'];

/** The coordinator's state of the last transaction of a transactional id. */
export type LastTransaction = { readonly state: string; readonly producer: ProducerIdentity };

/** Ends a transaction of the producer in these partitions. */
type Decide = (partitions: readonly TopicPartition[], decision: 'commit' | 'abort') => Promise<void>;

/**
 * How the last transaction ended, to ask before fencing, which forgets it; null where the coordinator does not know the id. An open
 * one is aborted, as fencing would do: a request of its producer that is still under way could commit it between the two.
 */
export async function endLastTransaction(
  connections: BrokerConnections,
  transactionalId: string,
): Promise<LastTransaction | null> {
  const last = await lastTransaction(connections, transactionalId);
  if (last?.state !== 'Ongoing') return last;
  const { id, epoch } = last.producer;
  try {
    await onCoordinator(connections, transactionalId, (coordinator) =>
      endTxnV3.api.async(coordinator, transactionalId, BigInt(id), epoch, false),
    );
  } catch (error) {
    if (!hasCode(error, ENDED)) throw error;
  }
  return lastTransaction(connections, transactionalId);
}

/** The coordinator's state of the last transaction; null where it does not know the id. */
export async function lastTransaction(
  connections: BrokerConnections,
  transactionalId: string,
): Promise<LastTransaction | null> {
  try {
    return await onCoordinator(connections, transactionalId, async (coordinator) => {
      const { transactionStates } = await describeTransactionsV0.api.async(coordinator, [transactionalId]);
      const [found] = transactionStates;
      if (found === undefined) return null;
      const { transactionState: state, producerId, producerEpoch } = found;
      return { state, producer: { id: String(producerId), epoch: producerEpoch } };
    });
  } catch (error) {
    if (hasCode(error, ['TRANSACTIONAL_ID_NOT_FOUND'])) return null;
    throw error;
  }
}

/** The transactions of one producer that may be open in some partitions (docs/decisions/0117). */
export class UndecidedTransactions {
  readonly #connections: BrokerConnections;
  readonly #options: ProducerOptions;
  readonly #identity: ProducerIdentity;
  readonly #before: LastTransaction | null;
  readonly #decide: Decide;
  readonly #own: ReadonlySet<string>;
  /** Shared partitions without an answer so far, by key: settled before the first write to each. */
  readonly #unchecked = new Map<string, TopicPartition>();
  #lookAt = 0;
  /** Who committed last before this producer; undefined until it is needed. */
  #lastCommitted: ProducerIdentity | null | undefined;
  /** Partitions of the last transaction of this producer. */
  #written: readonly TopicPartition[] = [];
  #isLastDecided = true;
  /** Changes of the connections when no transaction was last known to be undecided. */
  #seen = 0;

  constructor(
    connections: BrokerConnections,
    options: ProducerOptions,
    of: {
      readonly identity: ProducerIdentity;
      readonly before: LastTransaction | null;
      readonly decide: Decide;
    },
  ) {
    this.#connections = connections;
    this.#options = options;
    this.#identity = of.identity;
    this.#before = of.before;
    this.#decide = of.decide;
    this.#own = new Set(options.own.map(partitionKey));
  }

  /**
   * Decides what earlier producers left undecided, alike in all partitions. A shared partition without a leader is left for
   * later: most are never written to by this producer. Rejects with `RefusedError` HANGING_TRANSACTION.
   */
  async settle(): Promise<void> {
    const { own, shared, lastCommitted } = this.#options;
    const open = await openTransactions(this.#connections, own);
    let asked: readonly TopicPartition[] = shared;
    const isAsked = async (): Promise<boolean> => {
      const found = await openWhereReachable(this.#connections, asked);
      open.push(...found.open);
      asked = found.unreachable;
      return asked.length === 0;
    };
    await poll(isAsked, { timeoutMs: SHARED_MS, everyMs: LOOK_MS });
    await this.#end(open);
    // As of now: later it is this producer that committed last.
    if (asked.length > 0) this.#lastCommitted = await lastCommitted();
    for (const of of asked) this.#unchecked.set(partitionKey(of), of);
    this.#lookAt = performance.now() + UNCHECKED_MS;
    this.#seen = this.#connections.changes;
  }

  /**
   * To call before each transaction, with its partitions, once their leaders are connected. Where a connection is new or was
   * lost, the broker may have restarted without the markers of the transaction before, which this one would decide along with
   * itself: then rejects with UNDECIDED.
   */
  async require(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.#unchecked.size > 0) await this.#settleUnchecked(partitions);
    const { changes } = this.#connections;
    if (changes !== this.#seen) {
      await this.#requireNone([...this.#options.own, ...this.#written, ...partitions]);
      this.#seen = changes;
    }
  }

  /** Once after each transaction, where none follows: rejects with UNDECIDED where a partition of it is still open. */
  async requireLast(): Promise<void> {
    if (this.#isLastDecided) return;
    await this.#requireNone(this.#written);
    this.#isLastDecided = true;
  }

  async #requireNone(partitions: readonly TopicPartition[]): Promise<void> {
    const [left] = await this.#untilDecided(partitions);
    if (left !== undefined)
      throw new StreamError(
        'UNDECIDED',
        `${partitionKey(left)} has a transaction open from offset ${left.start}`,
      );
  }

  /** The producer has committed a transaction in these partitions. */
  committed(partitions: readonly TopicPartition[]): void {
    this.#written = partitions.map(({ topic, partition }) => ({ topic, partition }));
    this.#isLastDecided = false;
  }

  async #settleUnchecked(partitions: readonly TopicPartition[]): Promise<void> {
    const due = [...new Set(partitions.map(partitionKey))].flatMap((key) => this.#unchecked.get(key) ?? []);
    await this.#end(await openTransactions(this.#connections, due));
    for (const of of due) this.#unchecked.delete(partitionKey(of));
    if (performance.now() < this.#lookAt) return;
    this.#lookAt = performance.now() + UNCHECKED_MS;
    const others = [...this.#unchecked.values()];
    const { open, unreachable } = await openWhereReachable(this.#connections, others);
    await this.#end(open);
    for (const of of others) if (!unreachable.includes(of)) this.#unchecked.delete(partitionKey(of));
  }

  /** Ends this producer's transactions among these. Throws for one that it cannot decide, and for one of another producer in its own partitions. */
  async #end(open: readonly OpenTransaction[]): Promise<void> {
    const { id } = this.#identity;
    const former = this.#before?.producer.id;
    const stranger = open.find(
      (one) => one.producer.id !== id && (one.producer.id === former || this.#isOwn(one)),
    );
    if (stranger !== undefined) throw this.#hanging(stranger);
    const ours = open.filter(({ producer }) => producer.id === id);
    for (const [epoch, ofEpoch] of Map.groupBy(ours, ({ producer }) => producer.epoch)) {
      const decision = await this.#decisionOn(epoch, ofEpoch);
      if (decision === null) throw this.#hanging(ofEpoch[0] as OpenTransaction);
      await this.#decide(ofEpoch, decision);
    }
    const [left] = await this.#untilDecided(ours);
    if (left !== undefined) throw this.#hanging(left);
  }

  /**
   * How the open transactions of an epoch were decided; null where nobody knows. The coordinator knows it of the last
   * transaction alone. That is one of this epoch where an own partition has it open, since no later producer commits before
   * those are settled. Else it was aborted, unless its epoch or a later one has committed.
   */
  async #decisionOn(epoch: number, open: readonly OpenTransaction[]): Promise<'commit' | 'abort' | null> {
    const before = this.#before;
    const isLast = before?.producer.epoch === epoch || open.some((one) => this.#isOwn(one));
    if (before !== null && isLast && !FORGOTTEN.includes(before.state))
      return COMMITTING.includes(before.state) ? 'commit' : 'abort';
    if (this.#lastCommitted === undefined) this.#lastCommitted = await this.#options.lastCommitted();
    const last = this.#lastCommitted;
    return last?.id === this.#identity.id && last.epoch >= epoch ? null : 'abort';
  }

  /** This producer's open transactions in these partitions, after the broker had time to write markers. */
  async #untilDecided(partitions: readonly TopicPartition[]): Promise<readonly OpenTransaction[]> {
    let ours: readonly OpenTransaction[] = [];
    const decided = async (): Promise<boolean> => {
      const open = await openTransactions(this.#connections, partitions);
      ours = open.filter(({ producer }) => producer.id === this.#identity.id);
      return ours.length === 0;
    };
    await poll(decided, { timeoutMs: MARKERS_MS, everyMs: LOOK_MS });
    return ours;
  }

  #isOwn(one: TopicPartition): boolean {
    return this.#own.has(partitionKey(one));
  }

  #hanging({ topic, partition, producer, start }: OpenTransaction): RefusedError {
    return new RefusedError(
      'HANGING_TRANSACTION',
      `${topic}-${partition} has a transaction of producer ${producer.id} open from offset ${start} that ${this.#options.transactionalId} ` +
        `cannot decide: end it with kafka-transactions.sh --bootstrap-server <broker> abort --topic ${topic} ` +
        `--partition ${partition} --start-offset ${start}`,
    );
  }
}
