import kafkajs, { type Admin } from 'kafkajs';
import type { Brokers } from '../brokers.ts';
import type { TopicAdmin } from '../port.ts';
import { connectionOptions } from './security.ts';

/**
 * Connects to a cluster, runs `work` and closes the connection. `retries`: how often a request without an answer is
 * repeated; 12 take about 20 s, 4 about 3 s. Throws errors of kafkajs, and those of `work`.
 */
export async function withTopicAdmin<T>(
  brokers: Brokers,
  retries: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  const admin = new kafkajs.Kafka({
    clientId: 'touchline-admin',
    ...connectionOptions(brokers),
    connectionTimeout: 5_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries },
    // Failures come as errors; the log would only have the retries.
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    return await work(topicAdmin(admin));
  } finally {
    await admin.disconnect();
  }
}

function topicAdmin(admin: Admin): TopicAdmin {
  return {
    // Requests all topics: a request by name would create the topic where the broker creates topics automatically.
    async topics() {
      const { topics } = await admin.fetchTopicMetadata();
      return new Map(
        topics.map(({ name, partitions }) => {
          const replicas = Math.min(...partitions.map((one) => one.replicas.length));
          return [name, { partitions: partitions.length, replicas }];
        }),
      );
    },
    async brokerCount() {
      return (await admin.describeCluster()).brokers.length;
    },
    async createTopics(topics) {
      // False where another process created them first.
      await admin.createTopics({
        waitForLeaders: false,
        topics: topics.map(({ name, partitions, replicationFactor, settings }) => ({
          topic: name,
          numPartitions: partitions,
          ...(replicationFactor === undefined ? {} : { replicationFactor }),
          configEntries: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
        })),
      });
    },
    deleteTopics: (names) => admin.deleteTopics({ topics: [...names] }),
    async groupMembers(group) {
      const { groups } = await admin.describeGroups([group]);
      return groups[0]?.members.length ?? 0;
    },
  };
}

/** The broker took too long; it may have created some topics all the same. */
export const BUSY: readonly string[] = ['REQUEST_TIMED_OUT', 'TOPIC_ALREADY_EXISTS'];
/** The broker has not joined its cluster yet, as just after its start: no broker can host a replica. */
export const PASSING: readonly string[] = [...BUSY, 'INVALID_REPLICATION_FACTOR'];

/** Whether topic creation failed for a transient reason that kafkajs does not retry. One error covers all topics. */
export function isPassing(error: unknown, passing = PASSING): boolean {
  if (!(error instanceof Error)) return false;
  // While the only broker is down no controller is known, and kafkajs throws a TypeError.
  if (error.name === 'KafkaJSBrokerNotFound' || error instanceof TypeError) return true;
  if (!('errors' in error && Array.isArray(error.errors))) return false;
  return error.errors.every(({ type }) => passing.includes(type));
}
