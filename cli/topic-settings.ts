/** Settings of the topics that a command creates. */
import { integer } from '#service/config.ts';
import type { WantedTopics } from '#topics/admin.ts';

export const topicTableSettings = {
  TOPIC_REPLICATION_FACTOR: integer(1, 99)
    .optional()
    .describe('Copies of each partition of a topic that is made; by default one a broker, at most three.'),
  TOPIC_MIN_IN_SYNC_REPLICAS: integer(1, 99)
    .optional()
    .describe(
      'Copies that must have a record before it counts as written; by default two of three, else one.',
    ),
  TOPIC_PARTITIONS: integer(1, 9_999)
    .optional()
    .describe(
      'Partitions of the topics of a match that are made; all of them must have the same. Default 8.',
    ),
};

/** The settings, parsed, in the terms of libs/topics. */
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
