/** Settings of the topics that a command creates. */
import { integer } from '#service/config.ts';
import type { WantedTopics } from '#topics/admin.ts';

export const topicTableSettings = {
  TOPIC_REPLICATION_FACTOR: integer(1, 99)
    .optional()
    .describe('Replicas of each partition of a new topic; by default one per broker, at most three.'),
  TOPIC_MIN_IN_SYNC_REPLICAS: integer(1, 99)
    .optional()
    .describe(
      'Replicas that must have a record before it counts as written; by default two of three, else one.',
    ),
  TOPIC_PARTITIONS: integer(1, 9_999)
    .optional()
    .describe('Partitions of new topics of a match; all of them must have the same number. Default 8.'),
};

/** Converts the parsed settings into options of `createTopics`. */
export function wantedTopicsOf(config: {
  readonly TOPIC_REPLICATION_FACTOR?: number | undefined;
  readonly TOPIC_MIN_IN_SYNC_REPLICAS?: number | undefined;
  readonly TOPIC_PARTITIONS?: number | undefined;
}): WantedTopics {
  return {
    replicationFactor: config.TOPIC_REPLICATION_FACTOR,
    minInSync: config.TOPIC_MIN_IN_SYNC_REPLICAS,
    partitions: config.TOPIC_PARTITIONS,
  };
}
