import kafkajs, { type Admin } from 'kafkajs';
import type { TopicAdmin } from '../port.ts';

/**
 * Connects to a cluster, does `work` and closes the connection. `retries`: how often a request to a broker that does not
 * answer is repeated; 12 take about 20 s, 4 about 3 s. Throws errors of kafkajs, and what `work` throws.
 */
export async function withTopicAdmin<T>(
  brokers: readonly string[],
  retries: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  const admin = new kafkajs.Kafka({
    clientId: 'touchline-admin',
    brokers: [...brokers],
    connectionTimeout: 5_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries },
    // What fails comes as an error; the rest is its retries.
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
    // Asks for all topics: asking for one by name would make it where the broker makes topics by itself.
    async partitionCounts() {
      const { topics } = await admin.fetchTopicMetadata();
      return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
    },
    async createTopics(topics) {
      // False where another process was first.
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

/** The broker took too long; it may have made some all the same. */
export const BUSY: readonly string[] = ['REQUEST_TIMED_OUT', 'TOPIC_ALREADY_EXISTS'];
/** The broker is not in its cluster, as for a moment after its start: there is none for a replica. */
export const PASSING: readonly string[] = [...BUSY, 'INVALID_REPLICATION_FACTOR'];

/** Whether topics were not made for what passes, which kafkajs does not try again. It tells the errors of all as one. */
export function isPassing(error: unknown, passing = PASSING): boolean {
  if (!(error instanceof Error)) return false;
  // Where the only broker is out, no controller is told, and kafkajs falls over the answer that it has asked nobody for.
  if (error.name === 'KafkaJSBrokerNotFound' || error instanceof TypeError) return true;
  if (!('errors' in error && Array.isArray(error.errors))) return false;
  return error.errors.every(({ type }) => passing.includes(type));
}
