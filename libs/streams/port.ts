/**
 * What the task runtime asks of a Kafka client: a few methods, so that another client can be put under it.
 * `test/streams/conformance.test.ts` says in running code what each of them promises.
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

/** The input position that a transaction commits: the offset of the next record to read. */
export type CommitPosition = TopicPartition & { readonly group: string; readonly next: number };

/** One producer with a transactional id. Opening it fences every earlier one with that id and settles its transaction. */
export interface TransactionalProducer {
  /**
   * Writes all records and the position in one transaction, or none of them.
   * Resolves to the offset of the last record written to each topic and partition (`topic-partition`).
   * Rejects with `StreamError`; its outcome is then unknown and this producer must be closed.
   */
  transact(
    records: readonly OutputRecord[],
    position: CommitPosition | null,
  ): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** What a group member is told. Handlers are called one at a time for a partition, at once for several partitions. */
export type GroupListener = {
  /** The partitions of the input this member owns from now on, with the same ones of the changelogs. All are paused. */
  onAssigned(partitions: readonly number[]): void;
  /** No member of the group any more: nothing is owned until the next assignment. */
  onLost(): void;
  /** The group still counts this member in its current generation. */
  onHeartbeat(): void;
  /**
   * Records in offset order; `endOffset` is the end of the partition, without control records after the last of them. A
   * rejection is logged and the same records are not given again: the listener seeks. `stillHere` tells the group that this
   * member lives, for a handler that takes long. It never rejects.
   */
  onRecords(
    from: TopicPartition,
    records: readonly ConsumedRecord[],
    endOffset: number,
    stillHere: () => Promise<void>,
  ): Promise<void>;
};

/** A read-committed member of a consumer group that owns the same partitions of several topics. */
export interface GroupConsumer {
  start(): Promise<void>;
  pause(of: TopicPartition): void;
  resume(of: TopicPartition): void;
  /** The next record to be given is the first at or after `offset`. */
  seek(of: TopicPartition, offset: number): void;
  /** Waits for the handlers that run, and leaves the group. */
  stop(): Promise<void>;
}

export type GroupOptions = {
  readonly group: string;
  readonly input: string;
  readonly changelogs: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly listener: GroupListener;
};

/** The Kafka client under the runtime. */
export interface StreamClient {
  openTransactionalProducer(transactionalId: string): Promise<TransactionalProducer>;
  openGroupConsumer(options: GroupOptions): GroupConsumer;
  /**
   * The group's committed next offset, null where there is none. That of the last transaction for certain where its
   * producer was opened anew since; else that of one which ended a moment ago may be missing.
   */
  committedOffset(group: string, of: TopicPartition): Promise<number | null>;
  earliestOffset(of: TopicPartition): Promise<number>;
}

/** Text form of a topic and partition, used as a map key. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
