/** The topics that may close trading of matches beside their states: feed health and halts by hand. */
import type { FeedHealth, TradingHalt } from '#records/types.ts';
import type { TopicPartition } from '#streams/client/port.ts';
import type { HealthTable } from '#trading/feed-status.ts';
import type { HaltTable } from '#trading/halts.ts';
import { FRESHNESS_POLL_MS } from '#trading/trading.ts';
import type { TopicRecord } from './follow.ts';
import { topicName } from './topics.ts';
import { reportUnreadable, type UnreadableRecord } from './unreadable.ts';

/** What may close trading of matches beside their states. */
export type ClosingTables = {
  readonly health: HealthTable<FeedHealth>;
  readonly halts: HaltTable<TradingHalt>;
};

/** Returns the options with which `follow` keeps these tables, and `apply`, which takes the records of both topics. */
export function closingReads(prefix: string, { health, halts }: ClosingTables) {
  const haltTopic = topicName(prefix, 'trading-halts');
  return {
    options: {
      idleMs: () => FRESHNESS_POLL_MS,
      onUpToDate({ topic }: TopicPartition, at: number): void {
        if (topic === haltTopic) halts.readTo(at);
      },
      onUnreadable(record: UnreadableRecord): void {
        if (record.topic === haltTopic) halts.doubt(record.key ?? '', record.offset);
        reportUnreadable(record);
      },
    },
    apply({ topic, key, value, offset }: TopicRecord<'feed-health' | 'trading-halts'>): void {
      if (topic === 'feed-health') health.apply(key, value, performance.now());
      else halts.apply(key, value, offset);
    },
  };
}
