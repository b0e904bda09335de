/**
 * What the task runtime asks of a Kafka client: a few methods, so that another client can be put under it.
 * `test/integration/streams/conformance.test.ts` says in running code what each of them promises.
 */

/** A record as read from a topic. Offsets are numbers: they stay far below 2^53. */
export type ConsumedRecord = {
  readonly offset: number;
  readonly key: Buffer | null;
  /** Null is a tombstone. */
  readonly value: Buffer | null;
};

/** A record to write; null as value deletes the key of a compacted topic. */
export type OutputRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer | string;
  readonly value: Buffer | null;
};

export type TopicPartition = { readonly topic: string; readonly partition: number };

/** One producer with a transactional id; its epoch is the lock on all that it writes. */
export interface TransactionalProducer {
  /** The broker's id and epoch of it: what transactions in a partition are told apart by. */
  readonly identity: ProducerIdentity;
  /**
   * Writes all records in one transaction, or none of them. One transaction at a time. Rejects with `StreamError`; its
   * outcome is then unknown and this producer must be closed.
   */
  transact(records: readonly OutputRecord[]): Promise<void>;
  close(): Promise<void>;
}

export type ProducerIdentity = { readonly id: string; readonly epoch: number };

/** A transaction that is open in a partition. */
export type OpenTransaction = TopicPartition & {
  readonly producer: ProducerIdentity;
  /** Offset of its first record. */
  readonly start: number;
};

/** What opening a producer is told. */
export type ProducerOptions = {
  readonly transactionalId: string;
  /** Every partition that this producer writes to and no other one does. */
  readonly own: readonly TopicPartition[];
  /** Further partitions that it may write to. */
  readonly shared: readonly TopicPartition[];
  /**
   * Who wrote the last committed transaction, as its records tell; null where there is none. Asked for only where a
   * transaction is open of which the coordinator no longer knows how it was decided.
   */
  readonly lastCommitted: () => Promise<ProducerIdentity | null>;
  /** Ends the opening: nothing is asked of a broker after it, and the opening rejects. */
  readonly signal?: AbortSignal;
};

/** Records that were read at once. */
export type ReadBatch = {
  readonly records: readonly ConsumedRecord[];
  /** Where to read on: after the last record, control and aborted ones included. */
  readonly next: number;
  /** The end of what can be read, read committed: the last stable offset; else the high watermark. */
  readonly end: number;
  /** The high watermark: between `end` and it is what waits behind an open transaction. */
  readonly written: number;
};

/** Reads one partition over a connection of its own. */
export interface PartitionReader {
  /** The id of the topic that this reader reads; all of its reads are of that one. */
  topicId(): Promise<string>;
  /**
   * Records at or after `offset`, as soon as there are any; none after a while. One call at a time. Finds a leader that has
   * moved. Rejects with `StreamError`: OFFSET_OUT_OF_RANGE, TOPIC_RECREATED, UNAVAILABLE where no broker answered for long.
   */
  read(offset: number): Promise<ReadBatch>;
  /** A call under way rejects. */
  close(): Promise<void>;
}

/** How a partition is read. */
export type ReaderOptions = TopicPartition & {
  /** Also records of transactions that are open or aborted. Default: committed ones only. */
  readonly uncommitted?: boolean;
  /** Of one answer; one record batch at least is given, however large. */
  readonly maxBytes: number;
  /** How long the broker may wait for records. Default 500 ms. */
  readonly maxWaitMs?: number;
};

/** A partition's log. `end` counts what open transactions wrote. */
export type LogBounds = { readonly start: number; readonly end: number };

/** What a group member is told. */
export type GroupListener = {
  /** The partitions this member owns from now on. */
  onAssigned(partitions: readonly number[]): void;
  /** No member of the group any more, until the next assignment. */
  onLost(): void;
  /** The group still counts this member in its current generation. */
  onHeartbeat(): void;
};

/** A member of a consumer group that shares the partitions of one topic. It reads nothing. */
export interface GroupMember {
  start(): Promise<void>;
  /** Commits offsets for tools that show lag; nothing reads them here. Rejects where the group does not take them. */
  commit(positions: ReadonlyMap<number, number>): Promise<void>;
  /** Leaves the group; a broker that does not answer is waited for a few seconds only. */
  stop(): Promise<void>;
}

export type GroupOptions = {
  readonly group: string;
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  readonly listener: GroupListener;
};

/** The Kafka client under the runtime. All methods reject with `StreamError`. */
export interface StreamClient {
  /**
   * Opens the producer: fences every earlier one with that id, completes its transaction, and decides what was left
   * undecided of it alike in every partition (docs/decisions/0050). Rejects with `RefusedError` HANGING_TRANSACTION.
   */
  openProducer(options: ProducerOptions): Promise<TransactionalProducer>;
  openReader(options: ReaderOptions): PartitionReader;
  openGroupMember(options: GroupOptions): GroupMember;
  /** Bounds of partitions, in the order asked for. */
  logBounds(of: readonly TopicPartition[]): Promise<LogBounds[]>;
  /** Number of partitions as of now; 0 where the topic is missing. */
  partitionCount(topic: string): Promise<number>;
  /** Closes what was opened with it too, and ends what is under way. */
  close(): Promise<void>;
}

/** Text form of a topic and partition, used as a map key. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** A topic to create. */
export type NewTopic = {
  readonly name: string;
  readonly partitions: number;
  /** Default: the broker's own. */
  readonly replicationFactor?: number;
  /** By the broker's names. */
  readonly settings: Readonly<Record<string, string>>;
};

/** What is asked of a cluster about its topics and groups. Errors are those of the client. */
export type TopicAdmin = {
  /** Partitions of every topic on the broker, by name. */
  partitionCounts(): Promise<Map<string, number>>;
  /** Asks for topics, without a wait for their leaders. One that is there stays as it is. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  deleteTopics(names: readonly string[]): Promise<void>;
  /** How many members a consumer group has. */
  groupMembers(group: string): Promise<number>;
};
