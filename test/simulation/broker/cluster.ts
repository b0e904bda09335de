import type { OpenTransaction } from '#streams/client/platformatic/kafka-20734/undecided-transactions.ts';
import { type EpochEnd, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import type { Process, World } from '../world/world.ts';
import type { GroupShare } from './group-messages.ts';
import { Group } from './groups.ts';
import { type NewRecord, PartitionLog, type ProducerEpoch } from './partition-log.ts';
import { ProtocolError } from './protocol-error.ts';
import { Transactions } from './transactions.ts';

/** A partition with its log and its leader. */
export type Partition = TopicPartition & {
  readonly log: PartitionLog;
  /** The broker that leads the partition; null while none does. */
  leader: number | null;
  /** Fetches that wait for records. */
  readonly waiting: Set<() => void>;
};

type Topic = { readonly id: string; readonly partitions: readonly Partition[] };

/** Callbacks for the checks of a run. */
type ClusterListener = {
  onAppend?(partition: Partition, producer: ProducerEpoch, records: readonly NewRecord[]): void;
  onMarker?(partition: Partition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void;
  onDroppedMarker?(partition: Partition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void;
  /** Called when a producer was opened, which fenced earlier ones. */
  onOpened?(producer: ProducerEpoch): void;
  /** Called when a response that confirms a member reached its process. `assigned`: the assignment of a SyncGroup; else null. */
  onConfirmed?(process: Process, sentAt: number, assigned: Assigned | null): void;
  onShare?(share: GroupShare): void;
};

/** A member's partitions in a generation. */
type Assigned = { readonly generation: number; readonly partitions: readonly number[] };

type Broker = {
  readonly id: number;
  readonly host: string;
  isUp: boolean;
  /** Until then requests wait. */
  hangsUntil: number;
  readonly connections: Set<{ cut(): void }>;
};

type Coordinator = { broker: number; loadsUntil: number };

/** A cluster. Acknowledged records are on all of its brokers, unless a fault removes the end of a log. */
export class Cluster {
  readonly world: World;
  readonly brokers: readonly Broker[];
  readonly topics = new Map<string, Topic>();
  readonly transactions: Transactions<Partition>;
  listener: ClusterListener = {};
  dropsMarkers = false;
  readonly #groups = new Map<string, Group>();
  /** The coordinator of each key, and the end of its loading. */
  readonly #coordinators = new Map<string, Coordinator>();
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
    this.transactions = new Transactions(this);
  }

  readonly #byKey = new Map<string, Partition>();

  find(key: string): Partition | undefined {
    return this.#byKey.get(key);
  }

  onMarker(
    partition: Partition,
    producer: ProducerEpoch,
    marker: 'commit' | 'abort',
    isDropped: boolean,
  ): void {
    if (!isDropped) this.#wake(partition);
    const { onMarker, onDroppedMarker } = this.listener;
    (isDropped ? onDroppedMarker : onMarker)?.(partition, producer, marker);
  }

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

  /** Writes records of a writer outside the simulated processes. Throws while the partition has no leader. */
  write(of: TopicPartition, records: readonly NewRecord[], producer: ProducerEpoch | null = null): void {
    const partition = this.#withLeader(of);
    partition.log.append(records, producer, producer === null ? -1 : 0, this.world.unixMs());
    this.#wake(partition);
  }

  /** Ends a transaction that `write` began. Throws while the partition has no leader. */
  endTransaction(of: TopicPartition, producer: ProducerEpoch, marker: 'commit' | 'abort'): void {
    const partition = this.#withLeader(of);
    partition.log.endTransaction(producer, marker, this.world.unixMs());
    this.#wake(partition);
  }

  /** Returns a partition with a leader. Records written without one would get the last epoch, even after a lost end. */
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

  /** Elects a leader of a partition in a new epoch. Has no effect while no broker is up. */
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

  /** Removes the leader of a partition for good. Tasks that do not write to it must continue (docs/decisions/0050). */
  loseForGood(partition: Partition): void {
    this.#lost = partition;
    this.unseat(partition);
  }

  /** Removes the leader of a partition. */
  unseat(partition: Partition): void {
    // KAFKA-20734 is known only for restarts of brokers, which end connections.
    if (this.dropsMarkers && partition.leader !== null) this.cutConnections(partition.leader);
    partition.leader = null;
    this.world.note('cluster', `${partitionKey(partition)} has no leader`);
    this.#wake(partition);
  }

  /** Elects a leader that lacks the end of the log, as in an unclean election. */
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

  /** Moves all coordinators to other brokers, which load for `loadMs`. */
  moveCoordinators(loadMs: number): void {
    this.world.note('cluster', `coordinators move, and load for ${Math.round(loadMs)} ms`);
    for (const coordinator of this.#coordinators.values()) this.#moveCoordinator(coordinator, loadMs);
    for (const group of this.#groups.values()) group.move();
  }

  // Requests.

  #up(): number[] {
    return this.brokers.filter(({ isUp }) => isUp).map(({ id }) => id);
  }

  #broker(id: number): Broker {
    return this.brokers[id] as Broker;
  }

  /** Returns the broker that coordinates a key. Throws when none is up. */
  coordinatorOf(key: string): number {
    return this.#coordinator(key).broker;
  }

  /** Throws when this broker is not the coordinator, or is loading. */
  requireCoordinator(broker: number, key: string): void {
    const found = this.#coordinator(key);
    if (found.broker !== broker) throw new ProtocolError('NOT_COORDINATOR');
    if (found.loadsUntil > this.world.now) throw new ProtocolError('COORDINATOR_LOAD_IN_PROGRESS');
  }

  #coordinator(key: string): Coordinator {
    const { size } = this.#coordinators;
    const found = this.#coordinators.get(key) ?? { broker: size % this.brokers.length, loadsUntil: 0 };
    this.#coordinators.set(key, found);
    if (!this.#broker(found.broker).isUp) this.#moveCoordinator(found, this.world.random.between(1, 200));
    if (!this.#broker(found.broker).isUp) throw new ProtocolError('COORDINATOR_NOT_AVAILABLE');
    return found;
  }

  #moveCoordinator(coordinator: Coordinator, loadMs: number): void {
    const up = this.#up();
    if (up.length === 0) return;
    coordinator.broker = this.world.random.pick(up);
    coordinator.loadsUntil = this.world.now + loadMs;
  }

  /** Returns a partition that this broker leads. Throws when it does not. */
  ledBy(broker: number, of: TopicPartition): Partition {
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
    const partition = this.ledBy(broker, of);
    const { transactionalId, producer, sequence, records } = batch;
    const { log } = partition;
    if (transactionalId !== null && !log.isOpen(producer)) {
      if (!this.transactions.has(transactionalId, producer, partitionKey(partition)))
        throw new ProtocolError('INVALID_TXN_STATE');
    }
    const { end } = log;
    const base = log.append(records, producer, sequence, this.world.unixMs());
    // Otherwise the log had the batch already.
    if (base === end) this.listener.onAppend?.(partition, producer, records);
    this.#wake(partition);
    return base;
  }

  openTransactions(broker: number, of: TopicPartition): OpenTransaction[] {
    const { topic, partition } = of;
    return this.ledBy(broker, of)
      .log.openTransactions()
      .map((open) => ({ topic, partition, ...open }));
  }

  epochEnd(broker: number, of: TopicPartition, currentEpoch: number, epoch: number): EpochEnd | null {
    const { log } = this.ledBy(broker, of);
    log.requireEpoch(currentEpoch);
    return log.epochEnd(epoch);
  }

  #wake(partition: Partition): void {
    for (const retry of [...partition.waiting]) retry();
  }
}
