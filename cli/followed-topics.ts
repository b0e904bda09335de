/** Topics that are read from the beginning, then followed: open dead letters and feed health. */
import { readTopic } from '#cluster/read-topic.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readable } from '#topics/readable.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type FeedStatus, HealthTable, type Now, type SourceFeedStatus } from '#tradability/feed-status.ts';
import type { OpenCluster } from './cluster.ts';

/** Returns the current time by both clocks of this machine. */
export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

abstract class FollowedTopic {
  protected readonly cluster: OpenCluster;
  protected abstract readonly topic: TopicName;
  #read: Promise<void> | null = null;

  constructor(cluster: OpenCluster) {
    this.cluster = cluster;
  }

  protected abstract apply(key: string, record: ReadRecord): void | Promise<void>;

  /**
   * Starts to follow the topic at the first call. Resolves when all records that existed at that call are read. Rejects with
   * `StreamError`; a call after a failure, also a later one, reads the topic again.
   */
  untilRead(signal: AbortSignal): Promise<void> {
    if (this.#read !== null) return this.#read;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#read = promise;
    readTopic({
      brokers: this.cluster.brokers,
      topic: topicName(this.cluster.prefix, this.topic),
      untilEnd: false,
      signal,
      onRecord: (record) => this.apply(record.key?.toString() ?? '', record),
      onCaughtUp: resolve,
    }).then(resolve, (error: unknown) => {
      this.#read = null;
      reject(error);
    });
    return promise;
  }
}

/** Counts the open dead letters. */
export class OpenDeadLetters extends FollowedTopic {
  protected readonly topic = 'dead-letters';
  readonly #ids = new Set<string>();

  get count(): number {
    return this.#ids.size;
  }

  protected apply(id: string, { value }: ReadRecord): void {
    if (value === null) this.#ids.delete(id);
    else this.#ids.add(id);
  }
}

/** Knows the feed status of sources and matches, from feed-health. */
export class FollowedFeedHealth extends FollowedTopic {
  protected readonly topic = 'feed-health';
  readonly #table = new HealthTable();
  readonly #decoder = this.cluster.registry.decoder('feed-health');

  /** Returns the current status of every source, ordered by name. */
  sources(): SourceFeedStatus[] {
    return this.#table.sources(machineNow());
  }

  /** Returns the current feed status of a match. */
  match(eventId: number): FeedStatus {
    return this.#table.match(eventId, machineNow());
  }

  protected async apply(key: string, record: ReadRecord): Promise<void> {
    const { prefix } = this.cluster;
    const of = { topic: topicName(prefix, this.topic), partition: record.partition };
    for (const { value } of await readable(this.#decoder, of, [record]))
      this.#table.apply(key, value, performance.now());
  }
}
