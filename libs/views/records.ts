import type { TopicRecord } from '#topics/follow.ts';
import type { TopicName } from '#topics/topics.ts';

/** The topics that the views are built from. */
export const VIEW_TOPICS = [
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
export type ViewTopic = (typeof VIEW_TOPICS)[number];

/** The fields of a record that the views need. A record without `timestamp` counts as written now. */
export type ViewRecord<T extends ViewTopic = ViewTopic> = {
  [K in T]: Pick<TopicRecord<K>, 'topic' | 'partition' | 'offset' | 'key' | 'value'> &
    Partial<Pick<TopicRecord<K>, 'timestamp' | 'traceparent'>>;
}[T];

/** The position of a partition. */
export type ReadPosition = {
  readonly key: string;
  readonly next: number;
  /** Leader epoch of the record before `next`; null if unknown. */
  readonly epoch: number | null;
};
