/**
 * The requests to brokers that the runtime's client is made of. Each method sends one request to the broker that is
 * responsible as far as is known, and retries nothing: who retries what, and for how long, is decided above this interface
 * and is therefore the same over a real broker and over the simulated one (test/simulation).
 *
 * Every method rejects with `StreamError`: `brokerCodes` are the protocol's names of the errors in the broker's answer,
 * empty where no answer came. After a rejection without codes the request may have had its effect.
 */
import type { FetchedRecord, LogBounds, OpenTransaction, ProducerIdentity, TopicPartition } from './port.ts';
import type { RecordBatch } from './produce-batches.ts';

/** A record batch with the sequence number of its first record, for its producer and partition. */
export type SequencedBatch = { readonly batch: RecordBatch; readonly sequence: number };

/** Where the leader wrote a record batch. */
export type WrittenBatch = TopicPartition & {
  /** Offset of its first record. */
  readonly baseOffset: number;
};

/** The coordinator's state of the last transaction of a transactional id. */
export type DescribedTransaction = { readonly state: string; readonly producerId: string };

/** Requests of a transactional producer. */
export interface TransactionRequests {
  /** Null where the coordinator does not know the id. */
  describeTransaction(transactionalId: string): Promise<DescribedTransaction | null>;
  /** Fences earlier producers with that id and completes their transaction. */
  initProducerId(transactionalId: string, transactionTimeoutMs: number): Promise<ProducerIdentity>;
  addPartitions(
    transactionalId: string,
    identity: ProducerIdentity,
    partitions: readonly TopicPartition[],
  ): Promise<void>;
  endTransaction(transactionalId: string, identity: ProducerIdentity, commit: boolean): Promise<void>;
  /** Open transactions of any producer in these partitions (KIP-664). */
  openTransactions(partitions: readonly TopicPartition[]): Promise<OpenTransaction[]>;
  /** Writes batches of different partitions with acks=all, one request for each leader. */
  produce(
    transactionalId: string | null,
    identity: ProducerIdentity,
    batches: readonly SequencedBatch[],
  ): Promise<WrittenBatch[]>;
}

/** What a fetch asks for. Unknown epochs are -1. */
export type FetchRequest = TopicPartition & {
  readonly topicId: string;
  readonly offset: number;
  /** The leader epoch that the metadata named: a leader with another one refuses (KIP-320). */
  readonly currentLeaderEpoch: number;
  /** The leader epoch of the last batch read before `offset`: the leader answers where its log differs (KIP-595). */
  readonly lastFetchedEpoch: number;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  readonly isolation: 'committed' | 'uncommitted';
};

/** Where the leader's log ends for an epoch: a log that was read beyond it had other records. */
export type EpochEnd = { readonly epoch: number; readonly endOffset: number };

/** A fetch's answer. */
export type FetchAnswer = {
  readonly records: readonly FetchedRecord[];
  /** The next offset to read: after the last record, control and aborted ones included. */
  readonly next: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** The leader epoch of the last batch of the answer; `lastFetchedEpoch` of the request where it has none. */
  readonly leaderEpoch: number;
  /** Set where the log differs from what was read before `offset`; then there are no records. */
  readonly diverging: EpochEnd | null;
};

/** A topic as the metadata names it. */
export type TopicDescription = {
  readonly id: string;
  /** By partition; -1 where the partition has no leader. */
  readonly leaderEpochs: readonly number[];
};

/** Requests about logs. */
export interface LogRequests {
  /** Rejects with UNKNOWN_TOPIC_OR_PARTITION where the topic is missing. Asks anew after `forget`. */
  topic(name: string): Promise<TopicDescription>;
  fetch(request: FetchRequest): Promise<FetchAnswer>;
  logBounds(of: readonly TopicPartition[]): Promise<LogBounds[]>;
  /** The end of an epoch in the leader's log; epoch and offset are -1 where it knows none (OffsetForLeaderEpoch). */
  epochEnd(of: TopicPartition, currentLeaderEpoch: number, epoch: number): Promise<EpochEnd>;
}

/** A member's protocol metadata, as it joins. */
export type JoinRequest = {
  readonly group: string;
  /** Empty for a new dynamic member, and for a static one that does not know its id. */
  readonly memberId: string;
  /** Static membership (KIP-345); null without. */
  readonly instanceId: string | null;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocol: string;
  readonly metadata: Buffer;
};

/** A join's answer; `members` only for the leader. */
export type JoinAnswer = {
  readonly generation: number;
  readonly memberId: string;
  readonly leaderId: string;
  /** A leader that came back under its instance id: the assignment stands (KIP-814). */
  readonly skipAssignment: boolean;
  readonly members: readonly {
    readonly memberId: string;
    readonly instanceId: string | null;
    readonly metadata: Buffer;
  }[];
};

/** A member in a generation. */
export type MemberIdentity = {
  readonly group: string;
  readonly generation: number;
  readonly memberId: string;
  readonly instanceId: string | null;
};

/** Requests of a group member. */
export interface GroupRequests {
  /** Answered when all members joined, or the rebalance timeout is over. */
  join(request: JoinRequest): Promise<JoinAnswer>;
  /** `assignments`: only from the leader. Resolves with this member's assignment. */
  sync(
    member: MemberIdentity,
    protocol: string,
    assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
  ): Promise<Buffer>;
  heartbeat(member: MemberIdentity): Promise<void>;
  leave(member: MemberIdentity): Promise<void>;
  /** Offsets for tools that show lag. */
  commitOffsets(member: MemberIdentity, topic: string, offsets: ReadonlyMap<number, number>): Promise<void>;
}

/** All requests over one owner's connections. */
export interface BrokerRequests extends TransactionRequests, LogRequests, GroupRequests {
  /** Connections opened so far: an increase means that one was lost, or that a broker moved. */
  readonly opened: number;
  /** Forgets leaders and coordinators: they are looked up again. */
  forget(): void;
  /** Rejects requests under way. */
  close(): Promise<void>;
}
