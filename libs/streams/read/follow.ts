import { setTimeout as delay } from 'node:timers/promises';
import { defineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import { BrokerConnections } from '../client/platformatic/connections.ts';
import { isRetryable, logTruncated, topicRecreated, toStreamError } from '../client/platformatic/errors.ts';
import { type Fetched, fetchPartitions } from '../client/platformatic/fetch.ts';
import { logBounds, partitionsOf } from '../client/platformatic/offsets.ts';
import { RecordBatchError } from '../client/platformatic/record-batches.ts';
import {
  byTopic,
  type FetchedRecord,
  type LogBounds,
  partitionKey,
  type TopicPartition,
} from '../client/port.ts';
import { StreamError } from '../errors.ts';

/** A record with its partition. */
export type ReadRecord = FetchedRecord & { readonly partition: number };

/** Records of a partition that retention removed before they were read: from `from` up to, without, `next`. */
export type ExpiredRecords = TopicPartition & { readonly from: number; readonly next: number };

/** A batch that nobody can read, and why. `offset`: that of its first record. */
export type UnreadableBatch = TopicPartition & { readonly offset: number; readonly error: RecordBatchError };

/** What one fetch found in a partition: its records in order, each delivered once. */
export type FetchedPartition = TopicPartition & {
  readonly records: readonly ReadRecord[];
  /** The checkpoint to store with these records, and to pass in `from` after a restart. */
  readonly next: number;
  /** Leader epoch of the last record before `next`, to pass in `epochs` after a restart; null when unknown. */
  readonly epoch: number | null;
  /** High watermark of the partition. */
  readonly end: number;
  readonly partitions: number;
};

export type LogFollowOptions = {
  readonly brokers: Brokers;
  /** Client id on the broker. Default `touchline-reader`. */
  readonly reader?: string;
  /** Names on the broker. */
  readonly topics: readonly string[];
  /** Checkpoints: next offsets to read, by `partitionKey`. Other partitions begin at `otherwise`. */
  readonly from?: ReadonlyMap<string, number> | undefined;
  /** Leader epochs of the records before `from`, by `partitionKey`, to notice a log that lost these records. */
  readonly epochs?: ReadonlyMap<string, number>;
  /** Where partitions without a checkpoint begin: at the first record (default), or at the next one written. */
  readonly otherwise?: 'beginning' | 'end';
  /** Returns how long a broker may wait for records, milliseconds; not the first time. Default 700 with `onUpToDate`, else 10,000. */
  readonly idleMs?: () => number;
  /** Returns the minimum interval between requests to a broker once caught up, milliseconds: what arrives meanwhile costs one. Default 0. */
  readonly paceMs?: () => number;
  /** Whether to end once all records that existed at the start are delivered. Default: reads until `signal` is aborted. */
  readonly untilEnd?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Receives what one fetch found, of all partitions together; one batch at a time. An error it throws ends the reading. */
  readonly onBatch: (batch: readonly FetchedPartition[]) => void | Promise<void>;
  /**
   * Called when records expired before they were read; the reading continues, unless it throws. Without it, an old checkpoint
   * means the start; a reader whose next records expire ends with `OFFSET_OUT_OF_RANGE`, unless it reads `untilEnd`.
   */
  readonly onExpired?: (records: ExpiredRecords) => void;
  /** Called with a batch that nobody can read, such as one of 64 MiB once decompressed. Without it the reading ends with its error. */
  readonly onUnreadableBatch?: (batch: UnreadableBatch) => void;
  /** Called once all records that existed at the start are delivered, including those of transactions that were open then. */
  readonly onCaughtUp?: () => void;
  /** Called when all that was committed at `at` (`performance.now`) is delivered, at least once per `idleMs`. An error ends the reading. */
  readonly onUpToDate?: (of: TopicPartition, at: number) => void;
};

/** A reader cannot continue from its checkpoint: the topic was replaced, lost records before it, or removed records after it unread. */
export class PositionLostError extends defineError('PositionLostError', 'POSITION_LOST') {}

const READER = 'touchline-reader';
/** Default long poll: most topics are idle, and each fetch costs the broker a millisecond of CPU time. */
const IDLE_MS = 10_000;
/** Default long poll of a reader that must know how fresh its records are: a request that ends just before the next heartbeat of feed health was for nothing. */
const FRESH_MS = 700;
/** Maximum bytes of one fetch, which a reader holds in memory. */
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 5;
const RETRY_CEILING_MS = 500;

/**
 * Reads the committed records of topics from checkpoints on, without gap or repetition, one request at a time to each broker.
 * Rejects with `StreamError`, with `PositionLostError` when a log lost records that were read, or as a callback.
 */
export async function followLogs(options: LogFollowOptions): Promise<void> {
  const connections = new BrokerConnections(options.brokers, options.reader ?? READER);
  try {
    const logs = await logBounds(connections, await partitionsOf(connections, options.topics));
    const counts = new Map(byTopic(logs).map(([topic, numbers]) => [topic, numbers.length]));
    const followed = logs.map((log) => startOf(log, counts.get(log.topic) as number, options));
    await new Follower(connections, options, followed).run();
  } catch (error) {
    if (error instanceof StreamError && error.code === 'LOG_TRUNCATED')
      throw new PositionLostError(error.message, error);
    throw error;
  } finally {
    await connections.close();
  }
}

type Connection = Awaited<ReturnType<BrokerConnections['leader']>>;

type FollowedPartition = TopicPartition & {
  topicId: string;
  offset: number;
  currentLeaderEpoch: number;
  lastFetchedEpoch: number | undefined;
  /** The end of the log at the start, including records of open transactions. */
  readonly end: number;
  readonly partitions: number;
  /** Whether the leader has responded. Until then requests do not wait for records, to learn at once what is up to date. */
  isAnswered: boolean;
};

type ReadPartition = { readonly of: FollowedPartition; readonly fetched: Fetched };

function startOf(
  { topic, partition, start, end }: TopicPartition & LogBounds,
  partitions: number,
  options: LogFollowOptions,
): FollowedPartition {
  const { from, epochs, otherwise = 'beginning' } = options;
  const key = partitionKey({ topic, partition });
  const checkpoint = from?.get(key);
  if (checkpoint !== undefined && checkpoint > end)
    throw new PositionLostError(`${key} ends at ${end}, before the checkpoint ${checkpoint}`);
  const lastFetchedEpoch = checkpoint === undefined ? undefined : epochs?.get(key);
  const offset = Math.max(start, checkpoint ?? (otherwise === 'beginning' ? start : end));
  if (checkpoint !== undefined && checkpoint < start)
    options.onExpired?.({ topic, partition, from: checkpoint, next: start });
  const unknown = { topicId: '', currentLeaderEpoch: -1, isAnswered: false };
  return { topic, partition, offset, lastFetchedEpoch, end, partitions, ...unknown };
}

class Follower {
  readonly #connections: BrokerConnections;
  readonly #options: LogFollowOptions;
  readonly #partitions: readonly FollowedPartition[];
  /** Partitions whose records of the start are not all delivered. */
  readonly #behind: Set<FollowedPartition>;
  /** The partitions read over each connection. One loop reads from each connection. */
  readonly #byLeader = new Map<Connection, Set<FollowedPartition>>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  /** The last queued delivery: batches of all brokers are delivered one after another. */
  #delivering: Promise<void> = Promise.resolve();

  constructor(
    connections: BrokerConnections,
    options: LogFollowOptions,
    partitions: readonly FollowedPartition[],
  ) {
    this.#connections = connections;
    this.#options = options;
    this.#partitions = partitions;
    this.#behind = new Set(partitions.filter(({ offset, end }) => offset < end));
  }

  /** Reads to the end. Rejects when an offset is out of range, a topic was created again, or access is denied. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const end = () => this.#end();
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    if (this.#behind.size === 0) this.#caughtUp();
    for (const one of this.#partitions) void this.#assign(one);
    try {
      await this.#ended.promise;
    } finally {
      signal?.removeEventListener('abort', end);
      await this.#delivering.catch(() => {});
    }
  }

  /** Adds a partition to those read from its leader, as soon as the leader is known. */
  async #assign(of: FollowedPartition): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !this.#isOver; wait = Math.min(2 * wait, RETRY_CEILING_MS)) {
      try {
        const leader = await this.#connections.leader(of);
        const { id: topicId, leaderEpochs } = await this.#connections.topic(of.topic);
        if (of.topicId !== '' && of.topicId !== topicId) throw topicRecreated(of.topic);
        of.topicId = topicId;
        of.isAnswered = false;
        of.currentLeaderEpoch = leaderEpochs[of.partition] ?? -1;
        const known = this.#byLeader.get(leader);
        if (known !== undefined) return void known.add(of);
        this.#byLeader.set(leader, new Set([of]));
        return void this.#readFrom(leader);
      } catch (error) {
        if (!isRetryable(error)) return this.#fail(of, error);
        await delay(wait);
      }
    }
  }

  async #readFrom(leader: Connection): Promise<void> {
    const partitions = this.#byLeader.get(leader) as Set<FollowedPartition>;
    while (partitions.size > 0 && !this.#isOver) {
      try {
        const at = performance.now();
        const read: ReadPartition[] = [];
        for (const { from: of, fetched, error } of await this.#fetch(leader, [...partitions])) {
          of.isAnswered = true;
          if (fetched === null) this.#moved(partitions, of, error);
          else if (fetched.diverging !== null) this.#fail(of, logTruncated(of, fetched.diverging));
          else read.push({ of, fetched });
        }
        const more = read.filter(({ of, fetched }) => fetched.next > of.offset);
        if (more.length > 0) await this.#enqueue(more);
        this.#reportUpToDate(read, at);
        // Rotates the order, as a full response leaves out the partitions at its end.
        const [first] = partitions;
        if (first !== undefined && partitions.delete(first)) partitions.add(first);
        const restMs = at + (this.#options.paceMs?.() ?? 0) - performance.now();
        // The process need not wait for it: an open connection keeps it alive while it reads.
        if (more.length > 0 && this.#behind.size === 0 && restMs > 0)
          await delay(restMs, undefined, { ref: false });
      } catch (error) {
        for (const one of partitions) this.#moved(partitions, one, error);
      }
    }
    this.#byLeader.delete(leader);
  }

  #fetch(leader: Connection, partitions: readonly FollowedPartition[]) {
    const { onUpToDate, idleMs = () => (onUpToDate === undefined ? IDLE_MS : FRESH_MS) } = this.#options;
    const maxWaitMs = partitions.every(({ isAnswered }) => isAnswered) ? idleMs() : 0;
    return fetchPartitions(leader, partitions, { maxWaitMs, maxBytes: MAX_BYTES });
  }

  /** Looks up the leader of a partition again after an error. Ends the reading when the error is not retryable. */
  #moved(partitions: Set<FollowedPartition>, of: FollowedPartition, error: unknown): void {
    partitions.delete(of);
    const { onExpired, untilEnd, onUnreadableBatch } = this.#options;
    if (onUnreadableBatch !== undefined && error instanceof RecordBatchError && error.next !== null) {
      const { topic, partition, offset } = of;
      onUnreadableBatch({ topic, partition, offset, error });
      of.offset = error.next;
      this.#passed(of);
      void this.#assign(of);
    } else if ((onExpired !== undefined || untilEnd === true) && isOutOfRange(error)) {
      void this.#skipExpired(of, error);
    } else if (isRetryable(error)) {
      this.#connections.forget();
      void delay(FIRST_RETRY_MS).then(() => this.#assign(of));
    } else this.#fail(of, error);
  }

  /** Continues at the start of a log whose next records have expired. Ends the reading of a log that ends before them. */
  async #skipExpired(of: FollowedPartition, error: unknown): Promise<void> {
    try {
      const [bounds] = await logBounds(this.#connections, [of]);
      if (bounds === undefined || bounds.start <= of.offset) return this.#fail(of, error);
      if (this.#isOver) return;
      const { topic, partition, offset: from } = of;
      of.offset = bounds.start;
      of.lastFetchedEpoch = undefined;
      this.#options.onExpired?.({ topic, partition, from, next: of.offset });
      this.#passed(of);
    } catch (cause) {
      if (!isRetryable(cause)) return this.#end(cause);
    }
    void this.#assign(of);
  }

  /** Reports that all records of the start are delivered once the last partition has passed them. */
  #passed(of: FollowedPartition): void {
    if (of.offset >= of.end && this.#behind.delete(of) && this.#behind.size === 0) this.#caughtUp();
  }

  #caughtUp(): void {
    this.#options.onCaughtUp?.();
    if (this.#options.untilEnd === true) this.#end();
  }

  /** Delivers records after all earlier deliveries. */
  async #enqueue(read: readonly ReadPartition[]): Promise<void> {
    this.#delivering = this.#delivering.then(async () => {
      if (!this.#isOver) await this.#deliver(read);
    });
    await this.#delivering.catch((error: unknown) => this.#end(error));
  }

  async #deliver(read: readonly ReadPartition[]): Promise<void> {
    const batch = read.flatMap(({ of, fetched }): FetchedPartition[] => {
      const { topic, partition, partitions } = of;
      const { next, epoch, highWatermark: end } = fetched;
      const records = fetched.records.map((record) => ({ ...record, partition }));
      return records.length === 0 ? [] : [{ topic, partition, partitions, records, next, epoch, end }];
    });
    if (batch.length > 0) await this.#options.onBatch(batch);
    for (const { of, fetched } of read) {
      of.offset = fetched.next;
      of.lastFetchedEpoch = fetched.epoch ?? of.lastFetchedEpoch;
      this.#passed(of);
    }
  }

  #reportUpToDate(read: readonly ReadPartition[], at: number): void {
    try {
      for (const { of, fetched } of read)
        if (of.offset >= fetched.lastStableOffset) this.#options.onUpToDate?.(of, at);
    } catch (error) {
      this.#end(error);
    }
  }

  #fail(of: TopicPartition, error: unknown): void {
    this.#end(toStreamError(`read ${partitionKey(of)}`, error));
  }

  /** Ends the reading, with an error if there is one. Later calls have no effect. */
  #end(error?: unknown): void {
    this.#isOver = true;
    if (error === undefined) this.#ended.resolve();
    else this.#ended.reject(error);
  }
}

function isOutOfRange(error: unknown): boolean {
  return toStreamError('fetch', error).code === 'OFFSET_OUT_OF_RANGE';
}
