/** Topics that a command reads from the beginning, then follows. */
import { PromiseCache } from '#timing/promise-cache.ts';
import { findTopics } from '#topics/admin.ts';
import { type ClosingTables, closingReads } from '#topics/closing-topics.ts';
import { followInBackground, type TopicRecord } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';
import type { Now } from '#trading/feed-status.ts';
import type { OpenCluster } from './cluster.ts';

/** Returns the current time by both clocks of this machine. */
export function machineNow(): Now {
  return { wall: Date.now(), steady: performance.now() };
}

/**
 * Follows those of feed-health and trading-halts that exist, until `signal`. Resolves when both are read to their ends; rejects as `follow`
 * before that. Later the tables themselves expire, or say that they are not read.
 */
export async function followClosing(
  cluster: OpenCluster,
  tables: ClosingTables,
  signal: AbortSignal,
): Promise<void> {
  const existing = await findTopics(cluster);
  const topics = (['feed-health', 'trading-halts'] as const).filter((topic) => existing.has(topic));
  const { apply: onRecord, options } = closingReads(cluster.prefix, tables);
  await followInBackground(topics, { ...cluster, onFailure() {} }, { ...options, signal, onRecord });
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
