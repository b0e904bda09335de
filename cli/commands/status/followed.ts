/** What `touchline status` reads of topics: once from the beginning, then followed. */

import { readTopic } from '#cluster/read-topic.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type FeedStatus, HealthTable, type SourceFeedStatus } from '#tradability/feed-status.ts';
import type { OpenCluster } from '../../cluster.ts';

abstract class Followed {
  protected readonly cluster: OpenCluster;
  protected abstract readonly topic: TopicName;
  #known: Promise<void> | null = null;

  constructor(cluster: OpenCluster) {
    this.cluster = cluster;
  }

  protected abstract apply(key: string, value: Buffer | null): void | Promise<void>;

  /**
   * Resolves once all is read that was there at the first call. Rejects with `StreamError`; the next call then reads again, also where
   * the reading ended later.
   */
  known(signal: AbortSignal): Promise<void> {
    if (this.#known !== null) return this.#known;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#known = promise;
    readTopic({
      brokers: this.cluster.brokers,
      topic: topicName(this.cluster.prefix, this.topic),
      untilEnd: false,
      signal,
      onRecord: ({ key, value }) => this.apply(key?.toString() ?? '', value),
      onCaughtUp: resolve,
    }).then(resolve, (error: unknown) => {
      this.#known = null;
      reject(error);
    });
    return promise;
  }
}

export class OpenLetters extends Followed {
  protected readonly topic = 'dead-letters';
  readonly #open = new Set<string>();

  get count(): number {
    return this.#open.size;
  }

  protected apply(id: string, value: Buffer | null): void {
    if (value === null) this.#open.delete(id);
    else this.#open.add(id);
  }
}

/** The status of each source of messages. */
export class Health extends Followed {
  protected readonly topic = 'feed-health';
  readonly #table = new HealthTable();
  readonly #decoder = this.cluster.registry.decoder('feed-health');

  /** Every source now, by name. */
  sources(): SourceFeedStatus[] {
    return this.#table.sources({ wall: Date.now(), steady: performance.now() });
  }

  /** The feed status of a match now. */
  match(eventId: number): FeedStatus {
    return this.#table.match(eventId, { wall: Date.now(), steady: performance.now() });
  }

  protected async apply(key: string, value: Buffer | null): Promise<void> {
    const record = value === null ? null : await this.#decoder.read(value);
    this.#table.apply(key, record, performance.now());
  }
}
