import { setTimeout as delay } from 'node:timers/promises';
import { StreamError } from '../../errors.ts';
import type { Brokers } from '../brokers.ts';
import { partitionKey, type TopicPartition } from '../port.ts';
import { Connections } from './connections.ts';
import { isDisconnected, isTransient, logTruncated, toStreamError } from './errors.ts';
import { type Fetched, fetchPartitions } from './fetch.ts';
import type { Connection } from './library.ts';

/** Limits of one answer, which a reader holds in memory. */
const MAX_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 5;
const RETRY_CEILING_MS = 500;

/** A followed partition. */
type Followed = TopicPartition & {
  topicId: string;
  offset: number;
  currentLeaderEpoch: number;
  lastFetchedEpoch: number | undefined;
};

export type FollowerOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  /** The start offset of each partition, and the leader epoch of what was read before it, where that is known. */
  readonly partitions: readonly (TopicPartition & {
    readonly offset: number;
    readonly lastFetchedEpoch?: number | undefined;
  })[];
  /** How long the broker may hold its answer without records. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
  /** Receives the records of a partition; one call at a time. An error it throws ends the reading. */
  readonly onFetched: (of: TopicPartition, fetched: Fetched) => void | Promise<void>;
  /** Everything committed that a partition had at `at`, on the clock of `performance.now`, is delivered. An error it throws ends the reading. */
  readonly onUpToDate?: ((of: TopicPartition, at: number) => void) | undefined;
};

/**
 * Reads partitions from their leaders until it is aborted, with one request at a time to each broker for all partitions
 * it leads. Waits for brokers that are down, and finds leaders that move. Rejects with `StreamError` where an offset is
 * not in the log, the log lost what was read, a topic was deleted and created again, or access is denied.
 */
export async function followPartitions(options: FollowerOptions): Promise<void> {
  const connections = new Connections(options.brokers, options.clientId);
  try {
    await new Follower(connections, options).run();
  } finally {
    await connections.close();
  }
}

class Follower {
  readonly #connections: Connections;
  readonly #options: FollowerOptions;
  /** The partitions read over each connection; one loop works on each. */
  readonly #byLeader = new Map<Connection, Set<Followed>>();
  readonly #ended = Promise.withResolvers<void>();
  #isOver = false;
  /** Delivers batches one after the other, whichever broker they come from. */
  #giving: Promise<void> = Promise.resolve();

  constructor(connections: Connections, options: FollowerOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { partitions, signal } = this.#options;
    const end = () => this.#end(() => this.#ended.resolve());
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    for (const { topic, partition, offset, lastFetchedEpoch } of partitions)
      void this.#assign({ topic, partition, offset, lastFetchedEpoch, topicId: '', currentLeaderEpoch: -1 });
    try {
      await this.#ended.promise;
    } finally {
      signal.removeEventListener('abort', end);
      await this.#giving.catch(() => {});
    }
  }

  /** Adds a partition to those read from its leader, once the leader is known. */
  async #assign(of: Followed): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !this.#isOver; wait = Math.min(2 * wait, RETRY_CEILING_MS)) {
      try {
        const leader = await this.#connections.leader(of);
        const topicId = await this.#connections.topicId(of.topic);
        if (of.topicId !== '' && of.topicId !== topicId)
          throw new StreamError(
            'TOPIC_RECREATED',
            `${of.topic} was deleted and created again while it was read`,
          );
        of.topicId = topicId;
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
    const { maxWaitMs } = this.#options;
    const partitions = this.#byLeader.get(leader) as Set<Followed>;
    const fetch = { maxWaitMs, minBytes: 1, maxBytes: MAX_BYTES, isolation: 'committed' } as const;
    while (partitions.size > 0 && !this.#isOver) {
      try {
        const at = performance.now();
        for (const { from, fetched, error } of await fetchPartitions(leader, [...partitions], fetch)) {
          const of = from as Followed;
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
      if (this.#isOver) return;
      await this.#options.onFetched(of, fetched);
      of.offset = fetched.next;
      of.lastFetchedEpoch = fetched.epoch ?? of.lastFetchedEpoch;
    });
    await this.#giving.catch((error: unknown) => this.#end(() => this.#ended.reject(error)));
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
