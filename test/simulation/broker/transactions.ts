import type { World } from '../world/world.ts';
import type { PartitionLog, ProducerEpoch } from './partition-log.ts';
import { ProtocolError } from './protocol-error.ts';

type TransactionState =
  | 'Empty'
  | 'Ongoing'
  | 'PrepareCommit'
  | 'PrepareAbort'
  | 'CompleteCommit'
  | 'CompleteAbort';

/** The coordinator's state of a transactional id. */
type Transaction = {
  readonly transactionalId: string;
  readonly producerId: string;
  epoch: number;
  state: TransactionState;
  /** Partitions of the transaction, as `topic-partition`; while it is being completed, only those without a marker. */
  readonly partitions: Set<string>;
  timeoutMs: number;
  timeout: { run: (() => void) | null } | null;
};

/** A partition that markers are written to; without a leader it gets none. */
type MarkedPartition = { readonly log: PartitionLog; readonly leader: number | null };

/** The coordinator's interface to the cluster. */
type TransactionHost<P extends MarkedPartition> = {
  readonly world: World;
  /** Returns a partition; undefined when its topic was deleted. */
  find(key: string): P | undefined;
  /** Whether brokers drop the marker of a partition without a leader (KAFKA-20734). */
  readonly dropsMarkers: boolean;
  /** Called when a marker was written, or dropped. */
  onMarker(partition: P, producer: ProducerEpoch, marker: 'commit' | 'abort', isDropped: boolean): void;
};

const MARKER_RETRY_MS = 40;

/** The transaction coordinators of a cluster. Their state survives failures of brokers. */
export class Transactions<P extends MarkedPartition> {
  readonly #host: TransactionHost<P>;
  readonly #byId = new Map<string, Transaction>();
  #producers = 0;

  constructor(host: TransactionHost<P>) {
    this.#host = host;
  }

  describe(transactionalId: string): { readonly state: TransactionState; readonly producer: ProducerEpoch } {
    const found = this.#byId.get(transactionalId);
    if (found === undefined) throw new ProtocolError('TRANSACTIONAL_ID_NOT_FOUND');
    return { state: found.state, producer: { id: found.producerId, epoch: found.epoch } };
  }

  /** Fences earlier producers, after aborting an open transaction. */
  initProducer(transactionalId: string, timeoutMs: number): ProducerEpoch {
    let found = this.#byId.get(transactionalId);
    if (found === undefined) {
      this.#producers += 1;
      found = {
        transactionalId,
        producerId: String(1_000 + this.#producers),
        epoch: -1,
        state: 'Empty',
        partitions: new Set(),
        timeoutMs,
        timeout: null,
      };
      this.#byId.set(transactionalId, found);
    }
    if (found.state === 'Ongoing') {
      found.epoch += 1;
      this.#prepare(found, 'abort');
      throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    }
    if (isPreparing(found)) throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    found.epoch += 1;
    found.state = 'Empty';
    return { id: found.producerId, epoch: found.epoch };
  }

  addPartitions(transactionalId: string, producer: ProducerEpoch, keys: readonly string[]): void {
    const found = this.#require(transactionalId, producer);
    if (isPreparing(found)) throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    if (found.state !== 'Ongoing') {
      found.state = 'Ongoing';
      found.partitions.clear();
      found.timeout = this.#host.world.after(found.timeoutMs, () => this.#expire(found));
    }
    for (const key of keys) found.partitions.add(key);
  }

  end(transactionalId: string, producer: ProducerEpoch, commit: boolean): void {
    const found = this.#require(transactionalId, producer);
    const prepare = commit ? 'PrepareCommit' : 'PrepareAbort';
    const complete = commit ? 'CompleteCommit' : 'CompleteAbort';
    if (found.state === complete) return;
    if (found.state === prepare) throw new ProtocolError('CONCURRENT_TRANSACTIONS');
    if (found.state !== 'Ongoing') throw new ProtocolError('INVALID_TXN_STATE');
    this.#prepare(found, commit ? 'commit' : 'abort');
  }

  /** Whether a leader may append records of this producer: its transaction has the partition (KIP-890, part 1). */
  has(transactionalId: string, producer: ProducerEpoch, key: string): boolean {
    const found = this.#byId.get(transactionalId);
    return (
      found !== undefined &&
      found.producerId === producer.id &&
      found.epoch === producer.epoch &&
      found.state === 'Ongoing' &&
      found.partitions.has(key)
    );
  }

  #require(transactionalId: string, { id, epoch }: ProducerEpoch): Transaction {
    const found = this.#byId.get(transactionalId);
    if (found === undefined || found.producerId !== id)
      throw new ProtocolError('INVALID_PRODUCER_ID_MAPPING');
    if (found.epoch !== epoch) throw new ProtocolError('PRODUCER_FENCED');
    return found;
  }

  #expire(transaction: Transaction): void {
    if (transaction.state !== 'Ongoing') return;
    transaction.epoch += 1;
    this.#host.world.note('cluster', `transaction of ${transaction.transactionalId} expired`);
    this.#prepare(transaction, 'abort');
  }

  #prepare(transaction: Transaction, decision: 'commit' | 'abort'): void {
    if (transaction.timeout !== null) transaction.timeout.run = null;
    transaction.state = decision === 'commit' ? 'PrepareCommit' : 'PrepareAbort';
    const { transactionalId, epoch } = transaction;
    this.#host.world.note('cluster', `${transactionalId} epoch ${epoch}: ${transaction.state}`);
    for (const key of transaction.partitions) this.#mark(transaction, key, decision);
    this.#complete(transaction, decision);
  }

  /** Writes the marker of a partition after a short delay. Retries while the partition has no leader, or drops the marker. */
  #mark(transaction: Transaction, key: string, decision: 'commit' | 'abort'): void {
    const { world } = this.#host;
    const slow = world.random.chance(0.05);
    world.after(world.random.between(0.1, slow ? 80 : 1), () => {
      const producer = { id: transaction.producerId, epoch: transaction.epoch };
      const partition = this.#host.find(key);
      const isDropped = partition?.leader === null;
      if (isDropped && !this.#host.dropsMarkers) {
        world.after(MARKER_RETRY_MS, () => this.#mark(transaction, key, decision));
        return;
      }
      if (isDropped)
        world.note(
          'cluster',
          `${key} has no leader: the ${decision} of ${transaction.transactionalId} is dropped`,
        );
      else partition?.log.endTransaction(producer, decision, world.unixMs());
      if (partition !== undefined) this.#host.onMarker(partition, producer, decision, isDropped);
      transaction.partitions.delete(key);
      this.#complete(transaction, decision);
    });
  }

  #complete(transaction: Transaction, decision: 'commit' | 'abort'): void {
    if (transaction.partitions.size > 0) return;
    transaction.state = decision === 'commit' ? 'CompleteCommit' : 'CompleteAbort';
  }
}

function isPreparing({ state }: Transaction): boolean {
  return state === 'PrepareCommit' || state === 'PrepareAbort';
}
