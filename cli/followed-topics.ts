/** Topics that a command reads from the beginning, then follows. */
import type { FeedHealth, TradingHalt } from '#records/types.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { findTopics } from '#topics/admin.ts';
import { followInBackground, type TopicRecord } from '#topics/follow.ts';
import { reportUnreadable } from '#topics/readable.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { HealthTable, Now } from '#tradability/feed-status.ts';
import type { HaltTable } from '#tradability/halts.ts';
import { FRESHNESS_POLL_MS } from '#tradability/trading.ts';
import type { OpenCluster } from './cluster.ts';

/** Returns the current time by both clocks of this machine. */
export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

/** What may close trading of matches beside their states. */
export type ClosingTables = {
  readonly health: HealthTable<FeedHealth>;
  readonly halts: HaltTable<TradingHalt>;
};

/**
 * Follows those of feed-health and trading-halts that exist, until `signal`. Resolves when both are read to their ends; rejects as `follow`
 * before that. Later the tables themselves expire, or say that they are not read.
 */
export async function followClosing(
  cluster: OpenCluster,
  { health, halts }: ClosingTables,
  signal: AbortSignal,
): Promise<void> {
  const existing = await findTopics(cluster);
  const topics = (['feed-health', 'trading-halts'] as const).filter((topic) => existing.has(topic));
  const haltTopic = topicName(cluster.prefix, 'trading-halts');
  const context = { ...cluster, onFailure() {} };
  await followInBackground(topics, context, {
    signal,
    idleMs: () => FRESHNESS_POLL_MS,
    onRecord({ topic, key, value, offset }) {
      if (topic === 'feed-health') health.apply(key, value, performance.now());
      else halts.apply(key, value, offset);
    },
    onUpToDate({ topic }, at) {
      if (topic === haltTopic) halts.readTo(at);
    },
    onUnreadable(record) {
      if (record.topic === haltTopic) halts.doubt(record.key ?? '', record.offset);
      reportUnreadable(record);
    },
  });
}

/** A topic that is read again where following it failed. */
export class StatusTopic<T extends TopicName> {
  readonly #cluster: OpenCluster;
  readonly #topic: T;
  readonly #onRecord: (record: TopicRecord<T>) => unknown;
  readonly #read = new PromiseCache<unknown>();

  constructor(topic: T, cluster: OpenCluster, onRecord: (record: TopicRecord<T>) => unknown) {
    this.#topic = topic;
    this.#cluster = cluster;
    this.#onRecord = onRecord;
  }

  /**
   * Starts to follow the topic at the first call. Resolves when all records that existed at that call are read. Rejects as
   * `followInBackground`; a call after a failure, also a later one, reads the topic again.
   */
  async untilRead(signal: AbortSignal): Promise<void> {
    const context = { ...this.#cluster, onFailure: () => this.#read.forget() };
    const options = { signal, onRecord: this.#onRecord };
    await this.#read.get(this.#topic, () => followInBackground([this.#topic], context, options));
  }
}
