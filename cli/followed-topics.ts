/** Topics that a command reads from the beginning, then follows: open dead letters, feed health, halts by hand. */
import type { FeedHealth, TopicValues, TradingHalt } from '#records/types.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { type FollowOptions, followInBackground } from '#topics/follow.ts';
import { reportUnreadable, type UnreadableRecord } from '#topics/readable.ts';
import type { TopicName } from '#topics/topics.ts';
import { type FeedStatus, HealthTable, type Now, type SourceFeedStatus } from '#tradability/feed-status.ts';
import { type HaltedMatch, HaltTable, type HandHalts, isAbout } from '#tradability/halts.ts';
import { FRESHNESS_POLL_MS } from '#tradability/trading.ts';
import type { OpenCluster } from './cluster.ts';

/** Returns the current time by both clocks of this machine. */
export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

abstract class FollowedTopic<T extends TopicName> {
  readonly #cluster: OpenCluster;
  readonly #topic: T;
  readonly #read = new PromiseCache<unknown>();

  constructor(topic: T, cluster: OpenCluster) {
    this.#topic = topic;
    this.#cluster = cluster;
  }

  protected abstract apply(key: string, value: TopicValues[T] | null, offset: number): void;

  /** How the topic is followed beyond its records. */
  protected readonly following: Pick<FollowOptions<TopicName>, 'idleMs' | 'onUpToDate' | 'onUnreadable'> = {};

  /**
   * Starts to follow the topic at the first call. Resolves when all records that existed at that call are read. Rejects as
   * `followInBackground`; a call after a failure, also a later one, reads the topic again.
   */
  async untilRead(signal: AbortSignal): Promise<void> {
    const context = { ...this.#cluster, onFailure: () => this.#read.forget() };
    const read = () =>
      followInBackground(this.#topic, context, {
        ...this.following,
        signal,
        onRecord: ({ key, value, offset }) => this.apply(key, value, offset),
      });
    await this.#read.get(this.#topic, read);
  }
}

/** Counts the open dead letters. */
export class OpenDeadLetters extends FollowedTopic<'dead-letters'> {
  readonly #ids = new Set<string>();

  constructor(cluster: OpenCluster) {
    super('dead-letters', cluster);
  }

  get count(): number {
    return this.#ids.size;
  }

  protected apply(id: string, letter: TopicValues['dead-letters'] | null): void {
    if (letter === null) this.#ids.delete(id);
    else this.#ids.add(id);
  }
}

/** Knows the feed status of sources and matches, from feed-health. */
export class FollowedFeedHealth extends FollowedTopic<'feed-health'> {
  readonly #table = new HealthTable();
  readonly #records = new Map<string, FeedHealth>();

  constructor(cluster: OpenCluster) {
    super('feed-health', cluster);
  }

  /** Returns the current status of every source, ordered by name. */
  sources(): SourceFeedStatus[] {
    return this.#table.sources(machineNow());
  }

  /** Returns the current feed status of a match. */
  match(eventId: number): FeedStatus {
    return this.#table.match(eventId, machineNow());
  }

  /** Returns the records of all sources, and those of one match. */
  records(eventId: number): FeedHealth[] {
    return [...this.#records.values()].filter(({ event_id }) => event_id === null || event_id === eventId);
  }

  protected apply(key: string, record: FeedHealth | null): void {
    if (record === null) this.#records.delete(key);
    else this.#records.set(key, record);
    this.#table.apply(key, record, performance.now());
  }
}

/** Knows what operators have halted by hand, from trading-halts. */
export class FollowedHalts extends FollowedTopic<'trading-halts'> {
  readonly #table = new HaltTable<TradingHalt>();

  constructor(cluster: OpenCluster) {
    super('trading-halts', cluster);
  }

  protected override readonly following = {
    idleMs: () => FRESHNESS_POLL_MS,
    onUpToDate: (_: unknown, at: number) => this.#table.readTo(at),
    onUnreadable: (record: UnreadableRecord) => {
      this.#table.doubt(record.key ?? '', record.offset);
      reportUnreadable(record);
    },
  };

  /** Returns the current halts of a match. */
  of(match: HaltedMatch): HandHalts<TradingHalt> {
    return this.#table.standing(machineNow(), match);
  }

  /** Returns the records of the scopes that a match is in. */
  records(match: HaltedMatch): TradingHalt[] {
    return this.#table.records().filter(({ scope }) => isAbout(scope, match));
  }

  protected apply(scope: string, record: TradingHalt | null, offset: number): void {
    this.#table.apply(scope, record, offset);
  }
}
