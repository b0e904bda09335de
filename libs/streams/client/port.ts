import type { StreamError } from '../errors.ts';

/**
 * The task runtime's interface to a Kafka client: few methods, so that the client can be replaced.
 * `test/integration/streams/conformance.test.ts` checks what each of them promises.
 */

/** A record as read from a topic. Offsets are numbers: they stay far below 2^53. */
export type ConsumedRecord = {
  readonly offset: number;
  readonly key: Buffer | null;
  /** Null is a tombstone. */
  readonly value: Buffer | null;
  /** Its header, where this process records traces and the record belongs to one. */
  readonly traceparent?: string;
};

/** A record to write; null as value deletes the key of a compacted topic. */
export type OutputRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer | string;
  readonly value: Buffer | null;
  /** Its header, where it belongs to a trace. */
  readonly traceparent?: string;
};

/** A record to write outside of transactions. */
export type BatchRecord = Omit<OutputRecord, 'key'> & { readonly key: Buffer | string | null };

export type TopicPartition = { readonly topic: string; readonly partition: number };

/** How long the broker leaves a transaction open, milliseconds: an open one blocks every read-committed reader of its partitions. */
export const TRANSACTION_TIMEOUT_MS = 10_000;

/** A producer with a transactional id; its epoch is the lock on everything it writes. */
export interface TransactionalProducer {
  /** Its producer id and epoch on the broker: they identify its transactions in a partition. */
  readonly identity: ProducerIdentity;
  /**
   * Writes all records in one transaction, or none of them. One transaction at a time. `accept` is told where they were
   * written before the transaction is committed; what it throws prevents that. Rejects with this, or with `StreamError`; the
   * outcome is then unknown and this producer must be closed.
   */
  transact(
    records: readonly OutputRecord[],
    accept?: (written: readonly WrittenBatch[]) => void,
  ): Promise<void>;
  /**
   * Rejects with `StreamError` FENCED where a newer producer has its transactional id: then others may have written since what its owner has
   * read of the logs.
   */
  requireCurrent(): Promise<void>;
  /**
   * Rejects with `StreamError` UNDECIDED where a broker has left its last transaction open (KAFKA-20734). Asks once after each transaction; a
   * broker that does not answer is asked at the next call. Not during a transaction.
   */
  requireDecided(): Promise<void>;
  close(): Promise<void>;
}

/** Where the leader wrote a record batch. */
export type WrittenBatch = TopicPartition & {
  /** Offset of its first record. */
  readonly baseOffset: number;
  readonly count: number;
};

export type ProducerIdentity = { readonly id: string; readonly epoch: number };

/** Options of opening a producer. */
export type ProducerOptions = {
  readonly transactionalId: string;
  /** Every partition that only this producer writes to. */
  readonly own: readonly TopicPartition[];
  /** Further partitions that it may write to. */
  readonly shared: readonly TopicPartition[];
  /**
   * The identity that wrote the last committed transaction, read from its records; null without one. Called only for an
   * open transaction whose outcome the coordinator no longer knows.
   */
  readonly lastCommitted: () => Promise<ProducerIdentity | null>;
  /** Aborts the opening: no further request is sent, and the opening rejects. */
  readonly signal?: AbortSignal;
};

/** A record, and its time in Unix milliseconds: the writer's, or the broker's where the topic says so. */
export type FetchedRecord = ConsumedRecord & { readonly timestamp: number };

/** Records of one read. */
export type ReadBatch = {
  readonly records: readonly FetchedRecord[];
  /** The next offset to read: after the last record, control and aborted ones included. */
  readonly next: number;
  /** The end of what can be read: the last stable offset. */
  readonly end: number;
  /** The high watermark: records between `end` and it wait behind an open transaction. */
  readonly written: number;
  /** The leader epoch in which the last batch before `next` was written, as far as this reader has read it; null unknown. */
  readonly epoch: number | null;
};

/** Reads what is committed in one partition, over its own connection. */
export interface PartitionReader {
  /** The id of the topic that this reader reads; constant over all of its reads. */
  topicId(): Promise<string>;
  /**
   * Records at or after `offset`, as soon as there are any; none after a while. One call at a time. Follows a moved
   * leader. `epoch`: the leader epoch of what another reader read before `offset`; null where it is unknown. Rejects with `StreamError`: OFFSET_OUT_OF_RANGE, TOPIC_RECREATED, LOG_TRUNCATED where the log has lost what was
   * read before `offset`, or UNAVAILABLE after a long time without an answer.
   */
  read(offset: number, epoch?: number | null): Promise<ReadBatch>;
  /** Rejects a call under way. */
  close(): Promise<void>;
}

/** Options of a reader. */
export type ReaderOptions = TopicPartition & {
  /** Limit of one answer; at least one record batch is returned, however large. */
  readonly maxBytes: number;
  /** How long the broker may hold an answer without records, milliseconds. Default: 0 for the first answer, then 2,000. */
  readonly maxWaitMs?: number;
};

/** The bounds of a partition's log. `end` includes open transactions. */
export type LogBounds = { readonly start: number; readonly end: number };

/** Where a log ends for the largest leader epoch up to one that was asked for; null where the leader knows none. */
export type EpochEnd = { readonly epoch: number; readonly endOffset: number };

/** Notifications to a group member. */
export type GroupListener = {
  /** The partitions this member owns from now on; `sentAt` as for `onHeartbeat`. */
  onAssigned(partitions: readonly number[], sentAt: number): void;
  /** Its partitions may have other owners until the next assignment: the group removed it, or was silent for a session timeout. */
  onLost(): void;
  /** The group confirmed the member by its answer to a request of `sentAt`, on the monotonic clock: however late it came. */
  onHeartbeat(sentAt: number): void;
  /** Another process joined under the instance id of this one, which is out for good: FENCED_INSTANCE_ID. */
  onFenced(error: StreamError): void;
};

/** A member of a consumer group that shares the partitions of one topic. It reads nothing. */
export interface GroupMember {
  start(): Promise<void>;
  /** Commits offsets for tools that show lag; nothing reads them here. Rejects where the group refuses them. */
  commit(positions: ReadonlyMap<number, number>): Promise<void>;
  /** Leaves the group; a broker that does not answer is waited for a few seconds only. */
  stop(): Promise<void>;
}

export type GroupOptions = {
  readonly group: string;
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  /** Between heartbeats, milliseconds: how soon a member notices that the group rebalances. Default 200. */
  readonly heartbeatMs?: number;
  /**
   * Its name in the group over restarts, which no other member has (KIP-345): who starts again under it within a session keeps
   * its partitions, without a rebalance. Default: each start is a new member.
   */
  readonly instanceId?: string;
  /** Whether a stop leaves the group; else the partitions wait for the next start under this name, for a session. Default true. */
  readonly leaves?: boolean;
  readonly listener: GroupListener;
};

/** The Kafka client under the runtime. All methods reject with `StreamError`. */
export interface StreamClient {
  /**
   * Opens the producer: fences every earlier one with that id, completes its transaction, and decides all of its
   * undecided transactions alike in every partition (docs/decisions/0050). Rejects with `RefusedError` HANGING_TRANSACTION.
   */
  openProducer(options: ProducerOptions): Promise<TransactionalProducer>;
  openReader(options: ReaderOptions): PartitionReader;
  openGroupMember(options: GroupOptions): GroupMember;
  /** Log bounds of partitions, in request order. */
  logBounds(of: readonly TopicPartition[]): Promise<LogBounds[]>;
  /**
   * Where the log of a partition ends for a leader epoch (KIP-320): a reader that read beyond it, in that epoch, has read records
   * that the log lost.
   */
  epochEnd(of: TopicPartition, epoch: number): Promise<EpochEnd | null>;
  /** Current number of partitions; 0 where the topic is missing. */
  partitionCount(topic: string): Promise<number>;
  /** Closes everything it opened, and ends calls under way. */
  close(): Promise<void>;
}

/** Text form of a topic and partition, used as a map key. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** A record to publish. Without `partition`, murmur2 of the key decides, as with Kafka's own clients; one of them there must be. */
export type PublishRecord = Omit<BatchRecord, 'partition'> & {
  /** `any`: with all others of the same request that may go anywhere, since fewer batches cost less. */
  readonly partition?: number | 'any';
};

/** Records that were not sent, with the reason. */
export type Unsent = ReadonlyMap<PublishRecord, StreamError>;

/** The Kafka client under a publisher. One send at a time; after a failed one it is closed. */
export interface BatchProducer {
  /**
   * Writes the records in one request for each broker and resolves when they are acknowledged by all in-sync replicas.
   * Where the broker is unavailable they are sent again, none is written twice, until it is there or `close` is called;
   * `onRetry` is called each time. Resolves with those that were not sent, each with its reason: their partition has no
   * leader, and the others do not wait for one. Rejects with `StreamError`: some of them may have been written then.
   */
  send(records: readonly PublishRecord[], onRetry: (error: StreamError) => void): Promise<Unsent>;
  /** May be called while a send is under way, and again after that; throws nothing. */
  close(): Promise<void>;
}

const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/**
 * The hash by which Kafka's own clients choose a partition: murmur2 of the key's bytes without the sign bit; the
 * partition is the remainder by the number of partitions.
 */
export function partitionHash(key: Buffer): number {
  const { length } = key;
  const tail = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < tail; at += 4) {
    const word = Math.imul(key.readInt32LE(at), M);
    hash = Math.imul(hash, M) ^ Math.imul(word ^ (word >>> 24), M);
  }
  if (tail < length) {
    for (let at = tail; at < length; at++) hash ^= (key[at] as number) << (8 * (at - tail));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
