import type { TopicValues } from '#topics/generated/types.ts';
import type { TopicName } from '#topics/topics.ts';

/** The topics that the views are made from. */
export const SOURCES = [
  'catalogue',
  'match-state',
  'match-incidents',
  'match-transitions',
  'normalized-messages',
  'standings-catalogue',
  'standings',
  'feed-health',
] as const satisfies readonly TopicName[];
export type SourceTopic = (typeof SOURCES)[number];

/** A decoded record with its place; `value` is null for one without a value. */
export type ViewRecord<T extends SourceTopic = SourceTopic> = {
  [K in T]: {
    readonly topic: K;
    readonly partition: number;
    readonly offset: number;
    readonly key: string;
    readonly value: TopicValues[K] | null;
    /** When it was written, Unix milliseconds; now where unknown. */
    readonly written?: number;
  };
}[T];

/** Where to go on in a partition, by its `partitionKey`, and the leader epoch of the record before it; null where it is unknown. */
export type ReadPosition = { readonly key: string; readonly next: number; readonly epoch: number | null };
