import type { OpenTransaction } from '#kafka-20734/open-transactions.ts';
import { type EpochEnd, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import type { Process, World } from '../world/world.ts';
import { Group, type GroupShare } from './groups.ts';
import { type NewRecord, PartitionLog, type ProducerEpoch } from './partition-log.ts';
import { ProtocolError } from './protocol-error.ts';
import { Transactions } from './transactions.ts';

export type { GroupShare } from './groups.ts';

/** One partition: its log, and which broker leads it. */
export type Partition = TopicPartition & {
  readonly log: PartitionLog;
  /** Null while it has none. */
  leader: number | null;
  /** Fetches that wait for records. */
  readonly waiting: Set<() => void>;
};

type Topic = { readonly id: string; readonly partitions: readonly Partition[] };

/** What the checks of a run want to know. */
export type ClusterListener = {
  onAppend?(partition: Partition, producer: ProducerEpoch, records: readonly NewRecord[]): void;
  onMarker?(partition: Partition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void;
  onDroppedMarker?(partition: Partition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void;
  /** A producer was opened, which fenced those before it. */
  onOpened?(producer: ProducerEpoch): void;
  /** An answer that confirms a member reached its process; `assigned`: what a SyncGroup answered. */
  onConfirmed?(process: Process, sentAt: number, assigned: Assigned | null): void;
  onShare?(share: GroupShare): void;
};

/** What a member has of a generation. */
type Assigned = { readonly generation: number; readonly partitions: readonly number[] };

type Broker = {
  readonly id: number;
  readonly host: string;
  isUp: boolean;
  /** Stopped until then: requests wait. */
  hangsUntil: number;
  readonly connections: Set<{ cut(): void }>;
};

/** The brokers of a cluster. Every record is on all of them once it is acknowledged, unless a fault takes the end of a log. */
export class Cluster {
  readonly world: World;
  readonly brokers: readonly Broker[];
  readonly topics = new Map<string, Topic>();
  readonly transactions: Transactions;
  listener: ClusterListener = {};
  dropsMarkers = false;
  readonly #groups = new Map<string, Group>();
  /** Coordinators by key, and until when each loads. */
  readonly #coordinators = new Map<string, { broker: number; loadsUntil: number }>();
  #created = 0;
  #lost: Partition | null = null;

  constructor(world: World, brokers = 3) {
    this.world = world;
    this.brokers = Array.from({ length: brokers }, (_, id) => ({
      id,
      host: `broker-${id}`,
      isUp: true,
      hangsUntil: 0,
      connections: new Set<{ cut(): void }>(),
    }));
    const cluster = this;
    this.transactions = new Transactions({
      world,
      get dropsMarkers() {
        return cluster.dropsMarkers;
      },
      partition: (key) => cluster.#byKey.get(key),
      onMarker(key, producer, marker) {
        const partition = cluster.#byKey.get(key);
        if (partition === undefined) return;
        cluster.#wake(partition);
        cluster.listener.onMarker?.(partition, producer, marker);
      },
      onDroppedMarker(key, producer, marker) {
        const partition = cluster.#byKey.get(key);
        if (partition !== undefined) cluster.listener.onDroppedMarker?.(partition, producer, marker);
      },
    });
  }

  readonly #byKey = new Map<string, Partition>();

  createTopic(name: string, partitions: number): void {
    this.#created += 1;
    const up = this.#up();
    const topic: Topic = {
      id: `id-${this.#created}`,
      partitions: Array.from({ length: partitions }, (_, partition) => ({
        topic: name,
        partition,
        log: new PartitionLog(),
        leader: up[(this.#created + partition) % up.length] ?? null,
        waiting: new Set<() => void>(),
      })),
    };
    this.topics.set(name, topic);
    for (const one of topic.partitions) this.#byKey.set(partitionKey(one), one);
  }

  deleteTopic(name: string): void {
    const topic = this.topics.get(name);
    this.topics.delete(name);
    for (const one of topic?.partitions ?? []) {
      this.#byKey.delete(partitionKey(one));
      this.#wake(one);
    }
  }

  partition(of: TopicPartition): Partition {
    const found = this.#byKey.get(partitionKey(of));
    if (found === undefined) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
    return found;
  }

  partitions(): Iterable<Partition> {
    return this.#byKey.values();
  }

  group(name: string): Group {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = new Group(this.world, name, (share) => this.listener.onShare?.(share));
      this.#groups.set(name, group);
    }
    return group;
  }

  /** Records of a writer outside of the simulation's processes, such as the input's. Throws where nobody leads the partition. */
  write(of: TopicPartition, records: readonly NewRecord[], producer: ProducerEpoch | null = null): void {
    const partition = this.#withLeader(of);
    partition.log.append(records, producer, producer === null ? -1 : 0, this.world.unixMs());
    this.#wake(partition);
  }

  /** Ends a transaction that `write` began. Throws where nobody leads the partition. */
  endTransaction(of: TopicPartition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void {
    const partition = this.#withLeader(of);
    partition.log.endTransaction(producer, marker, this.world.unixMs());
    this.#wake(partition);
  }

  /** What is written without a leader would belong to the epoch of the last one, also behind an end that was lost since. */
  #withLeader(of: TopicPartition): Partition {
    const partition = this.partition(of);
    if (partition.leader === null) throw new ProtocolError('LEADER_NOT_AVAILABLE');
    return partition;
  }

  // Faults.

  stop(id: number): void {
    const broker = this.#broker(id);
    broker.isUp = false;
    this.world.note(`broker ${id}`, 'stops');
    for (const connection of [...broker.connections]) connection.cut();
    for (const partition of this.#byKey.values()) {
      if (partition.leader !== id) continue;
      partition.leader = null;
      this.world.after(this.world.random.between(5, 400), () => this.elect(partition));
    }
  }

  restart(id: number): void {
    this.#broker(id).isUp = true;
    this.world.note(`broker ${id}`, 'is up');
    for (const partition of this.#byKey.values()) if (partition.leader === null) this.elect(partition);
  }

  /** Gives a partition another leader, in a new epoch; none where no broker is up. */
  elect(partition: Partition): void {
    const up = this.#up();
    if (up.length === 0 || partition === this.#lost) return;
    partition.leader = this.world.random.pick(up);
    partition.log.beginEpoch();
    this.world.note(
      `broker ${partition.leader}`,
      `leads ${partitionKey(partition)}, epoch ${partition.log.leaderEpoch}`,
    );
    this.#wake(partition);
  }

  /** A shared partition without a leader stops nobody who does not write to it (docs/decisions/0117). */
  loseForGood(partition: Partition): void {
    this.#lost = partition;
    this.unseat(partition);
  }

  /** Takes the leader of a partition away. */
  unseat(partition: Partition): void {
    // Releases with KAFKA-20734 are known to do harm where brokers restart: that ends connections.
    if (this.dropsMarkers && partition.leader !== null) this.cutConnections(partition.leader);
    partition.leader = null;
    this.world.note('cluster', `${partitionKey(partition)} has no leader`);
    this.#wake(partition);
  }

  /** An unclean election: the new leader lacks the end of the log. */
  loseEnd(partition: Partition, to: number): void {
    this.world.note('cluster', `${partitionKey(partition)} loses offsets ${to} to ${partition.log.end}`);
    partition.log.truncate(to);
    this.elect(partition);
  }

  cutConnections(id: number): void {
    this.world.note(`broker ${id}`, 'cuts its connections');
    for (const connection of [...this.#broker(id).connections]) connection.cut();
  }

  hang(id: number, ms: number): void {
    this.world.note(`broker ${id}`, `hangs for ${Math.round(ms)} ms`);
    this.#broker(id).hangsUntil = this.world.now + ms;
  }

  /** Another broker coordinates from now on what this one did, after it has loaded. */
  moveCoordinators(loadMs: number): void {
    this.world.note('cluster', `coordinators move, and load for ${Math.round(loadMs)} ms`);
    for (const coordinator of this.#coordinators.values()) this.#move(coordinator, loadMs);
    for (const group of this.#groups.values()) group.move();
  }

  // What requests ask.

  #up(): number[] {
    return this.brokers.filter(({ isUp }) => isUp).map(({ id }) => id);
  }

  #broker(id: number): Broker {
    return this.brokers[id] as Broker;
  }

  coordinatorOf(key: string): number {
    const known = this.#coordinators.get(key) ?? {
      broker: this.#coordinators.size % this.brokers.length,
      loadsUntil: 0,
    };
    this.#coordinators.set(key, known);
    if (!this.#broker(known.broker).isUp) this.#move(known, this.world.random.between(1, 200));
    if (!this.#broker(known.broker).isUp) throw new ProtocolError('COORDINATOR_NOT_AVAILABLE');
    return known.broker;
  }

  /** Throws where this broker does not coordinate, or loads. */
  requireCoordinator(broker: number, key: string): void {
    if (this.coordinatorOf(key) !== broker) throw new ProtocolError('NOT_COORDINATOR');
    const known = this.#coordinators.get(key);
    if (known !== undefined && known.loadsUntil > this.world.now)
      throw new ProtocolError('COORDINATOR_LOAD_IN_PROGRESS');
  }

  /** The partition, where this broker leads it. */
  led(broker: number, of: TopicPartition): Partition {
    const partition = this.partition(of);
    if (partition.leader !== broker) throw new ProtocolError('NOT_LEADER_OR_FOLLOWER');
    return partition;
  }

  produce(
    broker: number,
    of: TopicPartition,
    batch: {
      transactionalId: string | null;
      producer: ProducerEpoch;
      sequence: number;
      records: readonly NewRecord[];
    },
  ): number {
    const partition = this.led(broker, of);
    const { transactionalId, producer, sequence, records } = batch;
    const { log } = partition;
    if (transactionalId !== null && !log.isOpen(producer)) {
      if (!this.transactions.has(transactionalId, producer, partitionKey(partition)))
        throw new ProtocolError('INVALID_TXN_STATE');
    }
    const { end } = log;
    const base = log.append(records, producer, sequence, this.world.unixMs());
    // Else it was there already.
    if (base === end) this.listener.onAppend?.(partition, producer, records);
    this.#wake(partition);
    return base;
  }

  openTransactions(broker: number, of: TopicPartition): OpenTransaction[] {
    const { topic, partition } = of;
    return this.led(broker, of)
      .log.openTransactions()
      .map((open) => ({ topic, partition, ...open }));
  }

  epochEnd(broker: number, of: TopicPartition, currentEpoch: number, epoch: number): EpochEnd | null {
    const { log } = this.led(broker, of);
    requireEpoch(log, currentEpoch);
    return log.epochEnd(epoch);
  }

  #wake(partition: Partition): void {
    for (const look of [...partition.waiting]) look();
  }

  #move(coordinator: { broker: number; loadsUntil: number }, loadMs: number): void {
    const up = this.#up();
    if (up.length === 0) return;
    coordinator.broker = this.world.random.pick(up);
    coordinator.loadsUntil = this.world.now + loadMs;
  }
}

/** Throws where the client knows another leader epoch than the leader (KIP-320); -1 is not compared. */
export function requireEpoch(log: PartitionLog, currentEpoch: number): void {
  if (currentEpoch < 0 || currentEpoch === log.leaderEpoch) return;
  throw new ProtocolError(currentEpoch < log.leaderEpoch ? 'FENCED_LEADER_EPOCH' : 'UNKNOWN_LEADER_EPOCH');
}
