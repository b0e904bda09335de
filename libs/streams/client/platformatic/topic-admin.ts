import { retry } from '#timing/retry.ts';
import type { Brokers } from '../brokers.ts';
import type { TopicAdmin } from '../port.ts';
import { Connections, metadataOf } from './connections.ts';
import { hasOnly, isDisconnected, isTransient } from './errors.ts';
import { createTopicsV7, deleteTopicsV6, describeGroupsV5 } from './library.ts';

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
  const connections = new Connections(brokers, 'touchline-admin');
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

function topicAdmin(connections: Connections, ask: <A>(request: () => Promise<A>) => Promise<A>): TopicAdmin {
  const cluster = () => ask(async () => metadataOf(await connections.any(), null));
  return {
    async topics() {
      const { topics } = await cluster();
      return new Map(
        topics.map(({ name, partitions }) => {
          const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length));
          return [name ?? '', { partitions: partitions.length, replicas }];
        }),
      );
    },
    async brokerCount() {
      return (await cluster()).brokers.length;
    },
    async createTopics(topics) {
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
    async deleteTopics(names) {
      const topics = names.map((name) => ({ name, topicId: null }));
      await ask(async () => deleteTopicsV6.api.async(await connections.controller(), topics, BROKER_MS));
    },
    async groupMembers(group) {
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
