import { setTimeout as delay } from 'node:timers/promises';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import { BrokerConnections } from '../client/platformatic/connections.ts';
import {
  isDisconnected,
  isTransient,
  logTruncated,
  topicRecreated,
  toStreamError,
} from '../client/platformatic/errors.ts';
import { type Fetched, type FetchedFrom, fetchPartitions } from '../client/platformatic/fetch.ts';
import { logBounds, partitionsOf } from '../client/platformatic/offsets.ts';
import { type FetchedRecord, type LogBounds, partitionKey, type TopicPartition } from '../client/port.ts';
import { StreamError } from '../errors.ts';

/** A record that was read. */
export type ReadRecord = FetchedRecord & { readonly partition: number };

/** Records of one partition, in order, each delivered once. */
export type FollowedBatch = TopicPartition & {
  readonly records: readonly ReadRecord[];
  /** The checkpoint to store with these records: pass it as `from` after a restart. */
  readonly next: number;
  /** The leader epoch in which the last record before `next` was written: pass it as one of `epochs` after a restart. */
  readonly epoch: number | null;
  /** The current end of the partition; records up to it are still to come. */
  readonly end: number;
};

export type FollowOptions = {
  readonly brokers: Brokers;
  /** The client id on the broker. Default `touchline-reader`. */
  readonly reader?: string;
  /** Names on the broker. */
  readonly topics: readonly string[];
  /** The next offset to read by `partitionKey`; other partitions are read from `otherwise` on. */
  readonly from?: ReadonlyMap<string, number>;
  /** The leader epochs of what was read before `from`, by `partitionKey`: a log that lost that is noticed. */
  readonly epochs?: ReadonlyMap<string, number>;
  /** From the first record (default), or from the next one written. */
  readonly otherwise?: 'beginning' | 'end';
  /**
   * How long a broker may hold an answer without records, milliseconds; what `onUpToDate` says is up to twice as old. The first
   * answer is not held, and records are given at once. Default 500.
   */
  readonly idleMs?: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Receives one batch at a time. An error it throws ends the reading. */
  readonly onBatch: (batch: FollowedBatch) => void | Promise<void>;
  /** Called once everything present at the start was delivered, open transactions included. */
  readonly onCaughtUp?: () => void;
  /**
   * Called whenever everything committed that a partition had at `at`, on the clock of `performance.now`, is delivered: once in
   * `idleMs` at least while it is read, never while it cannot be. An error it throws ends the reading.
   */
  readonly onUpToDate?: (of: TopicPartition, at: number) => void;
};

/** The log of a partition does not have what was read before a checkpoint: the topic was replaced, or lost records. */
export class PositionLostError extends TouchlineError<'PositionLostError'> {
  override readonly name = 'PositionLostError';

  constructor(message: string, cause?: unknown) {
    super('POSITION_LOST', message, cause);
  }
}

const READER = 'touchline-reader';
/** Most topics are idle most of the time, and each fetch costs the broker a millisecond of processor. */
const IDLE_MS = 500;
/** Limits of one answer, which a reader holds in memory. */
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 5;
const RETRY_CEILING_MS = 500;

/**
 * Reads all partitions of some topics, read committed, from checkpoints on, until it is aborted: through restarts of the
 * broker it neither skips nor repeats a record. Has one request at a time with each broker, for all partitions that it leads.
 * Shares nothing with other readers, and leaves nothing on the broker.
 * Resolves when `signal` is aborted. Rejects with `StreamError` where no broker answers at first, with
 * `PositionLostError` where a log lost what was read, or with an error of a callback.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const connections = new BrokerConnections(options.brokers, options.reader ?? READER);
  try {
    const partitions = await partitionsOf(connections, options.topics);
    const bounds = await logBounds(connections, partitions);
    const followed = partitions.map((of, at) => startOf(of, bounds[at] as LogBounds, options));
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

/** A followed partition. */
type Followed = TopicPartition & {
  topicId: string;
  offset: number;
  currentLeaderEpoch: number;
  lastFetchedEpoch: number | undefined;
  /** Its end at the start. Records of an open transaction count: nobody has caught up before it is decided. */
  readonly end: number;
  /** Whether its leader has answered: the first answer is not waited for, it tells what is up to date already. */
  isAnswered: boolean;
};

function startOf(of: TopicPartition, { start, end }: LogBounds, options: FollowOptions): Followed {
  const { from, epochs, otherwise = 'beginning' } = options;
  const key = partitionKey(of);
  const checkpoint = from?.get(key);
  if (checkpoint !== undefined && checkpoint > end)
    throw new PositionLostError(`${key} ends at ${end}, before the checkpoint ${checkpoint}`);
  const lastFetchedEpoch = checkpoint === undefined ? undefined : epochs?.get(key);
  const offset = Math.max(start, checkpoint ?? (otherwise === 'beginning' ? start : end));
  return { ...of, topicId: '', offset, currentLeaderEpoch: -1, lastFetchedEpoch, end, isAnswered: false };
}

class Follower {
  readonly #connections: BrokerConnections;
  readonly #options: FollowOptions;
  readonly #partitions: readonly Followed[];
  /** Those whose records of the start are not all delivered. */
  readonly #behind: Set<Followed>;
  /** The partitions read over each connection; one loop works on each. */
  readonly #byLeader = new Map<Connection, Set<Followed>>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  /** Delivers batches one after the other, whichever broker they come from. */
  #giving: Promise<void> = Promise.resolve();

  constructor(connections: BrokerConnections, options: FollowOptions, partitions: readonly Followed[]) {
    this.#connections = connections;
    this.#options = options;
    this.#partitions = partitions;
    this.#behind = new Set(partitions.filter(({ offset, end }) => offset < end));
  }

  /** Resolves when it is aborted. Rejects where an offset is not in the log, a topic was created again, or access is denied. */
  async run(): Promise<void> {
    const { signal, onCaughtUp } = this.#options;
    if (this.#behind.size === 0) onCaughtUp?.();
    const end = () => this.#end(() => this.#ended.resolve());
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    for (const of of this.#partitions) void this.#assign(of);
    try {
      await this.#ended.promise;
    } finally {
      signal?.removeEventListener('abort', end);
      await this.#giving.catch(() => {});
    }
  }

  /** Adds a partition to those read from its leader, once the leader is known. */
  async #assign(of: Followed): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !this.#isOver; wait = Math.min(2 * wait, RETRY_CEILING_MS)) {
      try {
        const leader = await this.#connections.leader(of);
        const topicId = await this.#connections.topicId(of.topic);
        if (of.topicId !== '' && of.topicId !== topicId) throw topicRecreated(of.topic);
        of.topicId = topicId;
        of.isAnswered = false;
        of.currentLeaderEpoch = await this.#connections.leaderEpoch(of);
        const known = this.#byLeader.get(leader);
        if (known !== undefined) return void known.add(of);
        this.#byLeader.set(leader, new Set([of]));
        return void this.#readFrom(leader);
      } catch (error) {
        if (!this.#passes(error)) return this.#fail(of, error);
        await delay(wait);
      }
    }
  }

  /** Reads all partitions that a broker leads until there is none. */
  async #readFrom(leader: Connection): Promise<void> {
    const partitions = this.#byLeader.get(leader) as Set<Followed>;
    while (partitions.size > 0 && !this.#isOver) {
      try {
        const at = performance.now();
        for (const { from, fetched, error } of await this.#fetch(leader, [...partitions])) {
          const of = from as Followed;
          of.isAnswered = true;
          if (fetched === null) this.#moved(partitions, of, error);
          else if (fetched.diverging !== null) this.#fail(of, logTruncated(of, fetched.diverging));
          else {
            if (fetched.next > of.offset) await this.#give(of, fetched);
            if (of.offset >= fetched.lastStableOffset) this.#upToDate(of, at);
          }
        }
        // Partitions answered first go last the next time, where an answer is full.
        const [first] = partitions;
        if (first !== undefined && partitions.delete(first)) partitions.add(first);
      } catch (error) {
        for (const of of partitions) this.#moved(partitions, of, error);
      }
    }
    this.#byLeader.delete(leader);
  }

  #fetch(leader: Connection, partitions: readonly Followed[]): Promise<FetchedFrom[]> {
    const { idleMs = IDLE_MS } = this.#options;
    const maxWaitMs = partitions.every(({ isAnswered }) => isAnswered) ? idleMs : 0;
    return fetchPartitions(leader, partitions, { maxWaitMs, maxBytes: MAX_BYTES });
  }

  /** The leader moved or is down: looks it up again, or ends with an error that is not transient. */
  #moved(partitions: Set<Followed>, of: Followed, error: unknown): void {
    partitions.delete(of);
    if (!this.#passes(error)) {
      this.#fail(of, error);
      return;
    }
    this.#connections.forget();
    void delay(FIRST_RETRY_MS).then(() => this.#assign(of));
  }

  async #give(of: Followed, fetched: Fetched): Promise<void> {
    const before = this.#giving;
    this.#giving = before.then(async () => {
      if (!this.#isOver) await this.#deliver(of, fetched);
    });
    await this.#giving.catch((error: unknown) => this.#end(() => this.#ended.reject(error)));
  }

  async #deliver(of: Followed, { records, next, epoch, highWatermark }: Fetched): Promise<void> {
    const { topic, partition } = of;
    if (records.length > 0) {
      const read = records.map((record) => ({ ...record, partition }));
      await this.#options.onBatch({ topic, partition, records: read, next, epoch, end: highWatermark });
    }
    of.offset = next;
    of.lastFetchedEpoch = epoch ?? of.lastFetchedEpoch;
    if (next >= of.end && this.#behind.delete(of) && this.#behind.size === 0) this.#options.onCaughtUp?.();
  }

  #upToDate(of: Followed, at: number): void {
    try {
      this.#options.onUpToDate?.(of, at);
    } catch (error) {
      this.#end(() => this.#ended.reject(error));
    }
  }

  #passes(error: unknown): boolean {
    return isTransient(error) || isDisconnected(error);
  }

  #fail(of: TopicPartition, error: unknown): void {
    this.#end(() => this.#ended.reject(toStreamError(`read ${partitionKey(of)}`, error)));
  }

  /** Only the first call counts. */
  #end(settle: () => void): void {
    this.#isOver = true;
    settle();
  }
}
