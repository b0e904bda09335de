/**
 * Repairs transactions that brokers with KAFKA-20734 leave open (docs/known-issues.md). When no supported release has the defect,
 * delete this folder with its uses in transactional-producer.ts, `own`, `shared` and `lastCommitted` of the port, and the uses of
 * detection.ts.
 */

import { poll } from '#timing/poll.ts';
import { RefusedError, StreamError } from '../../../errors.ts';
import {
  byTopic,
  type ProducerIdentity,
  type ProducerOptions,
  partitionKey,
  type TopicPartition,
} from '../../port.ts';
import { type BrokerConnections, byLeader } from '../connections.ts';
import { hasCode, isRetryable } from '../errors.ts';
import { type Connection, describeProducersV0, describeTransactionsV0, endTxnV3 } from '../library.ts';
import { onCoordinator, retryTransient } from '../retries.ts';

/** Timeout for a committed transaction's markers to reach every partition. */
const MARKERS_MS = 5_000;
/** Timeout for the leaders of shared partitions at a claim, which may not need these partitions. */
const SHARED_MS = 500;
const POLL_MS = 20;
/** Interval between checks of shared partitions that had no leader and are not written to. */
const UNCHECKED_MS = 5_000;
/** States in which the coordinator has decided to commit. */
const COMMIT_STATES = ['PrepareCommit', 'CompleteCommit'];
/** Errors for a transaction that ended meanwhile: by its producer, by its timeout, or by another claim. */
const ENDED_CODES = [
  'INVALID_TXN_STATE',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
];
/** States without information on the last transaction: the producer was opened again since, or never had one. */
const UNKNOWN_STATES = ['Empty', 'Dead'];

/** The coordinator's state of the last transaction of a transactional id. */
export type LastTransaction = { readonly state: string; readonly producer: ProducerIdentity };

type Producer = {
  readonly identity: ProducerIdentity;
  /** How the last transaction before it ended. */
  readonly before: LastTransaction | null;
  /** Ends a transaction in these partitions. */
  readonly decide: (partitions: readonly TopicPartition[], decision: 'commit' | 'abort') => Promise<void>;
};

/**
 * Returns how the last transaction ended; null for an unknown id. Called before fencing, which makes the coordinator forget it.
 * Aborts an open one, as its producer could still commit it in between.
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
    if (!hasCode(error, ENDED_CODES)) throw error;
  }
  return lastTransaction(connections, transactionalId);
}

/** Returns the coordinator's state of the last transaction; null when it does not know the id. */
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

/** Finds and decides the transactions of one producer that are open in some partitions (docs/decisions/0050). */
export class UndecidedTransactions {
  readonly #connections: BrokerConnections;
  readonly #options: ProducerOptions;
  readonly #producer: Producer;
  readonly #own: ReadonlySet<string>;
  /** Shared partitions whose leader has not responded yet, by key. They are settled before the first write to each. */
  readonly #unchecked = new Map<string, TopicPartition>();
  #nextCheckAt = 0;
  /** The producer of the last commit before this producer: null for none, undefined until it is read. */
  #lastCommitted: ProducerIdentity | null | undefined;
  /** Partitions of this producer's last transaction. */
  #written: readonly TopicPartition[] = [];
  #isLastDecided = true;
  /** Number of connection changes at the last check that found no undecided transaction. */
  #checkedChanges = 0;

  constructor(connections: BrokerConnections, options: ProducerOptions, producer: Producer) {
    this.#connections = connections;
    this.#options = options;
    this.#producer = producer;
    this.#own = new Set(options.own?.map(partitionKey));
  }

  /** Decides earlier producers' transactions, each alike in all partitions; a leaderless shared one when needed. Rejects with `RefusedError`. */
  async settle(): Promise<void> {
    const { own = [], shared = [] } = this.#options;
    const open = await openTransactions(this.#connections, own);
    let unchecked: readonly TopicPartition[] = shared;
    const areChecked = async (): Promise<boolean> => {
      const found = await openWhereReachable(this.#connections, unchecked);
      open.push(...found.open);
      unchecked = found.unreachable;
      return unchecked.length === 0;
    };
    await poll(areChecked, { timeoutMs: SHARED_MS, everyMs: POLL_MS });
    await this.#end(open);
    // Read now, as the last commit will be one of this producer later.
    if (unchecked.length > 0) await this.#readLastCommitted();
    for (const one of unchecked) this.#unchecked.set(partitionKey(one), one);
    this.#nextCheckAt = performance.now() + UNCHECKED_MS;
    this.#checkedChanges = this.#connections.changes;
  }

  /** Rejects with UNDECIDED when this producer has an open transaction. Called before each one, with its partitions. */
  async require(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.#unchecked.size > 0) await this.#settleUnchecked(partitions);
    const { changes } = this.#connections;
    if (changes !== this.#checkedChanges) {
      await this.#requireNone([...(this.#options.own ?? []), ...this.#written, ...partitions]);
      this.#checkedChanges = changes;
    }
  }

  /** Rejects with UNDECIDED when the last transaction is still open in a partition. Sends no request once it is decided. */
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

  /** Records that the producer has committed a transaction in these partitions. */
  committed(partitions: readonly TopicPartition[]): void {
    this.#written = partitions.map(({ topic, partition }) => ({ topic, partition }));
    this.#isLastDecided = false;
  }

  async #settleUnchecked(partitions: readonly TopicPartition[]): Promise<void> {
    const due = [...new Set(partitions.map(partitionKey))].flatMap((key) => this.#unchecked.get(key) ?? []);
    await this.#end(await openTransactions(this.#connections, due));
    for (const one of due) this.#unchecked.delete(partitionKey(one));
    if (performance.now() < this.#nextCheckAt) return;
    this.#nextCheckAt = performance.now() + UNCHECKED_MS;
    const others = [...this.#unchecked.values()];
    const { open, unreachable } = await openWhereReachable(this.#connections, others);
    await this.#end(open);
    for (const one of others) if (!unreachable.includes(one)) this.#unchecked.delete(partitionKey(one));
  }

  /** Ends the transactions of this producer id. Throws HANGING_TRANSACTION where it cannot, and for another's in its own partitions. */
  async #end(open: readonly OpenTransaction[]): Promise<void> {
    const { identity, before, decide } = this.#producer;
    const { id } = identity;
    const former = before?.producer.id;
    const stranger = open.find(
      (one) => one.producer.id !== id && (one.producer.id === former || this.#isOwn(one)),
    );
    if (stranger !== undefined) throw this.#hanging(stranger);
    const ours = open.filter(({ producer }) => producer.id === id);
    for (const [epoch, ofEpoch] of Map.groupBy(ours, ({ producer }) => producer.epoch)) {
      const decision = await this.#decisionOn(epoch, ofEpoch);
      if (decision === null) throw this.#hanging(ofEpoch[0] as OpenTransaction);
      await decide(ofEpoch, decision);
    }
    const [left] = await this.#untilDecided(ours);
    if (left !== undefined) throw this.#hanging(left);
  }

  /**
   * Returns how an epoch's open transactions were decided; null: unknown. The coordinator knows the last one, that of an own
   * partition; an earlier one was aborted, unless its epoch or a later one has committed.
   */
  async #decisionOn(epoch: number, open: readonly OpenTransaction[]): Promise<'commit' | 'abort' | null> {
    const { before, identity } = this.#producer;
    const isLast = before?.producer.epoch === epoch || open.some((one) => this.#isOwn(one));
    if (before !== null && isLast && !UNKNOWN_STATES.includes(before.state))
      return COMMIT_STATES.includes(before.state) ? 'commit' : 'abort';
    if (this.#lastCommitted === undefined) await this.#readLastCommitted();
    const last = this.#lastCommitted;
    return last?.id === identity.id && last.epoch >= epoch ? null : 'abort';
  }

  /** Returns this producer's open transactions in these partitions, after waiting up to `MARKERS_MS` for their markers. */
  async #untilDecided(partitions: readonly TopicPartition[]): Promise<readonly OpenTransaction[]> {
    let ours: readonly OpenTransaction[] = [];
    const decided = async (): Promise<boolean> => {
      const open = await openTransactions(this.#connections, partitions);
      ours = open.filter(({ producer }) => producer.id === this.#producer.identity.id);
      return ours.length === 0;
    };
    await poll(decided, { timeoutMs: MARKERS_MS, everyMs: POLL_MS });
    return ours;
  }

  async #readLastCommitted(): Promise<void> {
    this.#lastCommitted = (await this.#options.lastCommitted?.()) ?? null;
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

export type OpenTransaction = TopicPartition & {
  readonly producer: ProducerIdentity;
  /** Offset of its first record. */
  readonly start: number;
};

/** Returns the open transactions of any producer in these partitions, as reported by the leaders (KIP-664). */
export function openTransactions(
  connections: BrokerConnections,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  return retryTransient(
    async () => {
      const leaders = [...(await byLeader(connections, partitions))];
      return (await Promise.all(leaders.map(([leader, of]) => describeAt(leader, of)))).flat();
    },
    () => connections.forget(),
  );
}

/** Returns the open transactions without retries. `unreachable`: partitions whose leader is missing or does not respond. */
async function openWhereReachable<P extends TopicPartition>(
  connections: BrokerConnections,
  partitions: readonly P[],
): Promise<{ readonly open: readonly OpenTransaction[]; readonly unreachable: readonly P[] }> {
  const unreachable: P[] = [];
  const addUnreachable = (error: unknown, of: readonly P[]): void => {
    if (!isRetryable(error)) throw error;
    unreachable.push(...of);
    connections.forget();
  };
  const leaders = new Map<Connection, P[]>();
  const found = await Promise.allSettled(partitions.map((of) => connections.leader(of)));
  for (const [at, outcome] of found.entries()) {
    const of = partitions[at] as P;
    if (outcome.status === 'rejected') addUnreachable(outcome.reason, [of]);
    else leaders.set(outcome.value, [...(leaders.get(outcome.value) ?? []), of]);
  }
  const open = await Promise.all(
    [...leaders].map(([leader, ofLeader]) =>
      describeAt(leader, ofLeader).catch((error: unknown) => {
        addUnreachable(error, ofLeader);
        return [];
      }),
    ),
  );
  return { open: open.flat(), unreachable };
}

async function describeAt(
  leader: Connection,
  partitions: readonly TopicPartition[],
): Promise<OpenTransaction[]> {
  const requested = byTopic(partitions).map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
  const { topics } = await describeProducersV0.api.async(leader, requested);
  const open: OpenTransaction[] = [];
  for (const { name: topic, partitions: described } of topics) {
    for (const { partitionIndex: partition, activeProducers } of described) {
      for (const { producerId, producerEpoch, currentTxnStartOffset } of activeProducers) {
        if (currentTxnStartOffset < 0n) continue;
        const producer = { id: String(producerId), epoch: producerEpoch };
        open.push({ topic, partition, producer, start: Number(currentTxnStartOffset) });
      }
    }
  }
  return open;
}
