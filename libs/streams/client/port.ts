import type { StreamError } from '../errors.ts';

/** The interface between runtime and Kafka client, small enough to replace it: `test/integration/streams/conformance.test.ts`. */

/** A record read from a topic. Offsets are numbers, as they stay far below 2^53. */
export type ConsumedRecord = {
  readonly offset: number;
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  /** The `traceparent` header; only set while this process records traces. */
  readonly traceparent?: string;
};

/** A record to write. A null value deletes the key from a compacted topic. */
export type OutputRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer | string;
  readonly value: Buffer | null;
  readonly traceparent?: string;
};

export type BatchRecord = Omit<OutputRecord, 'key'> & { readonly key: Buffer | string | null };

export type TopicPartition = { readonly topic: string; readonly partition: number };

/** Timeout after which the broker aborts an open transaction, milliseconds: it blocks every reader of its partitions. */
export const TRANSACTION_TIMEOUT_MS = 10_000;

/** A producer with a transactional id. Its epoch is the lock on every partition that it writes. */
export interface TransactionalProducer {
  /** The producer id and epoch on the broker; they identify the producer's transactions in a partition. */
  readonly identity: ProducerIdentity;
  /**
   * Writes all records in one transaction, or none, one at a time. Calls `accept` with the written batches before the commit.
   * Rejects with its error, or `StreamError`; this producer must then be closed.
   */
  transact(
    records: readonly OutputRecord[],
    accept?: (written: readonly WrittenBatch[]) => void,
  ): Promise<void>;
  /** Rejects with FENCED when a newer producer has the same transactional id: it may have written after this owner read. */
  requireCurrent(): Promise<void>;
  /** Rejects with UNDECIDED when a broker left the last transaction open (KAFKA-20734). Not to be called during a transaction. */
  requireDecided(): Promise<void>;
  close(): Promise<void>;
}

export type WrittenBatch = TopicPartition & {
  /** Offset of the first record; -1 when the broker already had the batch. */
  readonly baseOffset: number;
  readonly count: number;
};

export type ProducerIdentity = { readonly id: string; readonly epoch: number };

export type ProducerOptions = {
  readonly transactionalId: string;
  /** Partitions that only this producer writes to, and others that it may write to. */
  readonly own?: readonly TopicPartition[];
  readonly shared?: readonly TopicPartition[];
  /** Reads who wrote the last committed transaction; null when none is. Called when the coordinator no longer knows the outcome. Default: null. */
  readonly lastCommitted?: () => Promise<ProducerIdentity | null>;
  /** Stops the opening: no further request is sent, and the opening rejects. */
  readonly signal?: AbortSignal;
};

/** A record with its time in Unix milliseconds: set by the writer, or by the broker when the topic is configured so. */
export type FetchedRecord = ConsumedRecord & { readonly timestamp: number };

export type ReadBatch = {
  readonly records: readonly FetchedRecord[];
  /** Next offset to read, after control and aborted records. */
  readonly next: number;
  /** Last stable offset: the end of the readable records. */
  readonly end: number;
  /** High watermark. Records from `end` to here wait behind an open transaction. */
  readonly written: number;
  /** Leader epoch of the last batch before `next` that this reader has read; null when it has read none. */
  readonly epoch: number | null;
};

/** A reader of the committed records of one partition, with its own connections. */
export interface PartitionReader {
  /** Returns the id of the topic; constant over all reads of this reader. */
  topicId(): Promise<string>;
  /**
   * Returns records at or after `offset`; none within `maxWaitMs`; one call at a time. `epoch`: that of the records before, null:
   * unknown. Rejects with `StreamError`: OFFSET_OUT_OF_RANGE, TOPIC_RECREATED, LOG_TRUNCATED, or UNAVAILABLE after 30 s.
   */
  read(offset: number, epoch?: number | null): Promise<ReadBatch>;
  /** Closes the connections. A pending call rejects. */
  close(): Promise<void>;
}

export type ReaderOptions = TopicPartition & {
  /** Maximum bytes of one read. The first record batch is returned even when it is larger. */
  readonly maxBytes: number;
  /** How long the broker may wait for records, milliseconds. Default: 0 for the first read, then 2,000; 10,000 after one without records. */
  readonly maxWaitMs?: number;
};

/** First offset of a partition's log, and the offset after its last record. `end` includes open transactions. */
export type LogBounds = { readonly start: number; readonly end: number };

/** The largest leader epoch up to the requested one, and the end of the log in that epoch. */
export type EpochEnd = { readonly epoch: number; readonly endOffset: number };

export type GroupListener = {
  /** Called with the partitions that this member now owns; `sentAt` as for `onHeartbeat`. */
  onAssigned(partitions: readonly number[], sentAt: number): void;
  /** Called when the group removed this member, or did not respond for a session timeout: others may own its partitions. */
  onLost(): void;
  /** Called when the group confirms the member. `sentAt`: of the confirmed request, by the monotonic clock. */
  onHeartbeat(sentAt: number): void;
  /** Called with FENCED_INSTANCE_ID when another process joined with the same instance id. This member cannot join again. */
  onFenced(error: StreamError): void;
};

/** A member of a consumer group whose members share the partitions of one topic. It reads no records. */
export interface GroupMember {
  /** Joins, and resolves at the first assignment. Rejects with `StreamError` UNAVAILABLE after 30 s without one. */
  start(): Promise<void>;
  /** Leaves the group, and waits at most 5 s for the broker. */
  stop(): Promise<void>;
}

export type GroupOptions = {
  readonly group: string;
  readonly topic: string;
  readonly sessionTimeoutMs: number;
  /** Interval between heartbeats, milliseconds; a member notices a rebalance within it. Default 200. */
  readonly heartbeatMs?: number;
  /** The member's name in the group (KIP-345): with it a restart within a session timeout keeps its partitions. Default: none. */
  readonly instanceId?: string | undefined;
  /** Whether `stop` leaves the group; otherwise it keeps the partitions for a session timeout. Default true. */
  readonly leaves?: boolean | undefined;
  readonly listener: GroupListener;
};

/** The runtime's Kafka client. All methods reject with `StreamError`. */
export interface StreamClient {
  /** Opens a producer: fences earlier ones with its id and decides their transactions (docs/decisions/0050). Also rejects with `RefusedError`. */
  openProducer(options: ProducerOptions): Promise<TransactionalProducer>;
  openReader(options: ReaderOptions): PartitionReader;
  openGroupMember(options: GroupOptions): GroupMember;
  logBounds<P extends TopicPartition>(of: readonly P[]): Promise<(P & LogBounds)[]>;
  /** Returns the end of a leader epoch (KIP-320); null for an unknown one. What was read beyond it in that epoch is lost. */
  epochEnd(of: TopicPartition, epoch: number): Promise<EpochEnd | null>;
  /** Returns the ids of topics as the cluster has them now, by name; without topics that are missing. */
  topicIds(topics: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the current number of partitions; 0 when the topic is missing. */
  partitionCount(topic: string): Promise<number>;
  /** Closes every producer, reader and member of this client. Pending calls reject. */
  close(): Promise<void>;
}

/** Returns `<topic>-<partition>`, used as a map key. */
export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** Returns the partitions 0 to `count`, without, of a topic. */
export function partitionsUpTo(topic: string, count: number): TopicPartition[] {
  return Array.from({ length: count }, (_, partition) => ({ topic, partition }));
}

/** Returns the partitions of each topic, each once. */
export function byTopic(partitions: Iterable<TopicPartition>): [topic: string, partitions: number[]][] {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, of]) => [
    topic,
    [...new Set(of.map(({ partition }) => partition))],
  ]);
}

/** A record to publish. It needs a key or a partition: without `partition`, murmur2 of the key decides as in Kafka's own clients. */
export type PublishRecord = Omit<BatchRecord, 'partition'> & {
  /** `any`: all such records of one request go to the same partition, as fewer batches cost less. */
  readonly partition?: number | 'any';
};

/** Records that were not sent, each with its reason. */
export type Unsent = ReadonlyMap<PublishRecord, StreamError>;

/** A publisher's Kafka client. It allows one send at a time and must be closed after a failed send. */
export interface BatchProducer {
  /**
   * Writes records, one request to each broker, and resolves once all replicas have them, with those that have no leader. Repeats
   * while the broker is down, none twice, with `onRetry`; `close` ends it. Rejects with `StreamError`.
   */
  send(records: readonly PublishRecord[], onRetry: (error: StreamError) => void): Promise<Unsent>;
  /** Closes the connections. May be called during a send, and more than once. Never throws. */
  close(): Promise<void>;
}

const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/** Returns the partition of a key as Kafka's own clients choose it: murmur2 of its bytes, without the sign bit. */
export function partitionOfKey(key: Buffer | string | number, partitions: number): number {
  const bytes = Buffer.isBuffer(key) ? key : Buffer.from(String(key));
  const { length } = bytes;
  const tail = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < tail; at += 4) {
    const word = Math.imul(bytes.readInt32LE(at), M);
    hash = Math.imul(hash, M) ^ Math.imul(word ^ (word >>> 24), M);
  }
  if (tail < length) {
    for (let at = tail; at < length; at++) hash ^= (bytes[at] as number) << (8 * (at - tail));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return ((hash ^ (hash >>> 15)) & 0x7fffffff) % partitions;
}
