import type { TopicValues } from '#records/types.ts';
import type { TopicName } from '#topics/topics.ts';

/** The topics that the views are built from. */
export const SOURCES = [
  'catalogue',
  'match-state',
  'match-incidents',
  'match-transitions',
  'normalized-messages',
  'standings',
  'provider-standings',
  'feed-health',
  'trading-halts',
] as const satisfies readonly TopicName[];
export type SourceTopic = (typeof SOURCES)[number];

/** A decoded record with its topic, partition and offset. `value` is null for a tombstone. */
export type ViewRecord<T extends SourceTopic = SourceTopic> = {
  [K in T]: {
    readonly topic: K;
    readonly partition: number;
    readonly offset: number;
    readonly key: string;
    readonly value: TopicValues[K] | null;
    /** Time at which the record was written, Unix milliseconds; undefined counts as now. */
    readonly written?: number;
  };
}[T];

/** The position of a partition. */
export type ReadPosition = {
  /** Its `partitionKey`. */
  readonly key: string;
  /** The next offset to read. */
  readonly next: number;
  /** Leader epoch of the record before `next`; null if unknown. */
  readonly epoch: number | null;
};
