import type { Brokers } from '#security/brokers.ts';
import { BrokerConnections, metadataOf } from '#streams/client/platformatic/connections.ts';
import { hasOnly, isDisconnected, isTransient } from '#streams/client/platformatic/errors.ts';
import { createTopicsV7, deleteTopicsV6, describeGroupsV5 } from '#streams/client/platformatic/library.ts';
import { retry } from '#timing/retry.ts';

/** A topic to create. */
export type NewTopic = {
  readonly name: string;
  readonly partitions: number;
  /** Default: the broker's own. */
  readonly replicationFactor?: number;
  /** By the broker's setting names. */
  readonly settings: Readonly<Record<string, string>>;
};

/** How a topic is laid out: its partitions, and the copies of the partition that has fewest. */
export type TopicShape = { readonly partitions: number; readonly replicas: number };

/** Administration of topics and groups. Errors are those of the client. */
export type TopicAdmin = ReturnType<typeof topicAdmin>;

/** How long a broker may take for what is asked of it, in its own time. */
const BROKER_MS = 5_000;
const PAUSE = { firstMs: 100, ceilingMs: 2_000 };
/** The broker's own number of copies. */
const ANY = -1;

/**
 * Connects to a cluster, runs `work` and closes the connections. `withinMs`: how long a request without an answer is
 * repeated. Throws errors of the client, and those of `work`.
 */
export async function withTopicAdmin<T>(
  brokers: Brokers,
  withinMs: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  const connections = new BrokerConnections(brokers, 'touchline-admin');
  const ask = <A>(request: () => Promise<A>): Promise<A> =>
    retry(request, {
      ...PAUSE,
      deadlineMs: withinMs,
      async passes(error) {
        const isAway = isDisconnected(error);
        if (isAway) await connections.reset();
        else connections.forget();
        return isAway || isTransient(error);
      },
    });
  try {
    return await work(topicAdmin(connections, ask));
  } finally {
    await connections.close();
  }
}

function topicAdmin(connections: BrokerConnections, ask: <A>(request: () => Promise<A>) => Promise<A>) {
  const cluster = () => ask(async () => metadataOf(await connections.any(), null));
  return {
    /** Every topic on the broker, by name. */
    async topics(): Promise<Map<string, TopicShape>> {
      const { topics } = await cluster();
      return new Map(
        topics.map(({ name, partitions }) => {
          const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length));
          return [name ?? '', { partitions: partitions.length, replicas }];
        }),
      );
    },
    /** Brokers of the cluster that run. */
    async brokerCount(): Promise<number> {
      return (await cluster()).brokers.length;
    },
    /** Creates topics, without waiting for their leaders. An existing topic stays as it is. */
    async createTopics(topics: readonly NewTopic[]): Promise<void> {
      const wanted = topics.map(({ name, partitions, replicationFactor, settings }) => ({
        name,
        numPartitions: partitions,
        replicationFactor: replicationFactor ?? ANY,
        assignments: [],
        configs: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
      }));
      try {
        await ask(async () =>
          createTopicsV7.api.async(await connections.controller(), wanted, BROKER_MS, false),
        );
      } catch (error) {
        // Another process created them first, or a broker whose answer was lost.
        if (!hasOnly(error, ['TOPIC_ALREADY_EXISTS'])) throw error;
      }
    },
    async deleteTopics(names: readonly string[]): Promise<void> {
      const topics = names.map((name) => ({ name, topicId: null }));
      await ask(async () => deleteTopicsV6.api.async(await connections.controller(), topics, BROKER_MS));
    },
    /** How many members a consumer group has. */
    async groupMembers(group: string): Promise<number> {
      const { groups } = await ask(async () =>
        describeGroupsV5.api.async(await connections.coordinator('group', group), [group], false),
      );
      return groups[0]?.members.length ?? 0;
    },
  };
}

/** The broker took too long; it may have created some topics all the same. */
export const BUSY: readonly string[] = ['REQUEST_TIMED_OUT', 'TOPIC_ALREADY_EXISTS', 'NOT_CONTROLLER'];
/** The broker has not joined its cluster yet, as just after its start: no broker can host a replica. */
export const PASSING: readonly string[] = [...BUSY, 'INVALID_REPLICATION_FACTOR'];

/** Whether topic creation failed for a transient reason. One error covers all topics. */
export function isPassing(error: unknown, passing = PASSING): boolean {
  return isDisconnected(error) || hasOnly(error, passing);
}
