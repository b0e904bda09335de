import type { Brokers } from '#security/brokers.ts';
import { type BrokerConnections, metadataOf } from '#streams/client/platformatic/connections.ts';
import { hasOnly, isDisconnected, isTransient } from '#streams/client/platformatic/errors.ts';
import {
  createPartitionsV3,
  createTopicsV7,
  deleteTopicsV6,
  describeGroupsV5,
  incrementalAlterConfigsV1,
} from '#streams/client/platformatic/library.ts';
import { retry } from '#timing/retry.ts';
import { withConnections } from './access.ts';
import { describeTopics, TOPIC_RESOURCE, type TopicFacts } from './describe.ts';

export type NewTopic = {
  readonly name: string;
  readonly partitions: number;
  readonly replicationFactor?: number;
  readonly settings: Readonly<Record<string, string>>;
};

/** Administration of topics and groups. Methods reject with errors of the client. */
export type TopicAdmin = ReturnType<typeof adminOver>;

const BROKER_MS = 5_000;
const PAUSE = { firstMs: 100, ceilingMs: 2_000 };
/** The request's value for the broker's default replication factor. */
const DEFAULT_REPLICATION = -1;
/** The request's number for setting a value. */
const SET = 0;

/** Calls `work` with the administration of a cluster, whose failed requests are retried for `withinMs`. */
export function withTopicAdmin<T>(
  brokers: Brokers,
  withinMs: number,
  work: (admin: TopicAdmin) => Promise<T>,
): Promise<T> {
  return withConnections(brokers, 'touchline-admin', (connections) => work(adminOver(connections, withinMs)));
}

/** Returns the administration over open connections, whose failed requests are retried for `withinMs`. */
export function adminOver(connections: BrokerConnections, withinMs: number) {
  const retried = <A>(request: () => Promise<A>): Promise<A> =>
    retry(request, {
      ...PAUSE,
      deadlineMs: withinMs,
      async passes(error) {
        const isLost = isDisconnected(error);
        if (isLost) await connections.reset();
        else connections.forget();
        return isLost || isTransient(error);
      },
    });
  const cluster = () => retried(async () => metadataOf(await connections.any(), null));
  return {
    async topics(): Promise<Map<string, { readonly partitions: number; readonly replicas: number }>> {
      const { topics } = await cluster();
      return new Map(
        topics.map(({ name, partitions }) => {
          const replicas = Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length));
          return [name ?? '', { partitions: partitions.length, replicas }];
        }),
      );
    },
    async describe(names: readonly string[]): Promise<ReadonlyMap<string, TopicFacts>> {
      return (await retried(async () => describeTopics(await connections.any(), names))).topics;
    },
    /** Sets settings of existing topics; all others stay. */
    async alterSettings(settings: ReadonlyMap<string, Readonly<Record<string, string>>>): Promise<void> {
      const resources = [...settings].map(([resourceName, values]) => ({
        resourceType: TOPIC_RESOURCE,
        resourceName,
        configs: Object.entries(values).map(
          ([name, value]) => ({ name, value, configOperation: SET }) as const,
        ),
      }));
      await retried(async () =>
        incrementalAlterConfigsV1.api.async(await connections.controller(), resources, false),
      );
    },
    async addPartitions(counts: ReadonlyMap<string, number>): Promise<void> {
      const topics = [...counts].map(([name, count]) => ({ name, count, assignments: null }));
      await retried(async () =>
        createPartitionsV3.api.async(await connections.controller(), topics, BROKER_MS, false),
      );
    },
    async brokerCount(): Promise<number> {
      return (await cluster()).brokers.length;
    },
    /** Creates topics, without waiting for their leaders. Does not change existing topics. */
    async createTopics(topics: readonly NewTopic[]): Promise<void> {
      const wanted = topics.map(({ name, partitions, replicationFactor, settings }) => ({
        name,
        numPartitions: partitions,
        replicationFactor: replicationFactor ?? DEFAULT_REPLICATION,
        assignments: [],
        configs: Object.entries(settings).map(([setting, value]) => ({ name: setting, value })),
      }));
      try {
        await retried(async () =>
          createTopicsV7.api.async(await connections.controller(), wanted, BROKER_MS, false),
        );
      } catch (error) {
        // Another process created them first, or the response of an earlier attempt was lost.
        if (!hasOnly(error, ['TOPIC_ALREADY_EXISTS'])) throw error;
      }
    },
    async deleteTopics(names: readonly string[]): Promise<void> {
      const topics = names.map((name) => ({ name, topicId: null }));
      await retried(async () => deleteTopicsV6.api.async(await connections.controller(), topics, BROKER_MS));
    },
    /** Returns the names of the members of a consumer group: instance ids, or ids of members without one. */
    async memberNames(group: string): Promise<string[]> {
      const { groups } = await retried(async () =>
        describeGroupsV5.api.async(await connections.coordinator('group', group), [group], false),
      );
      return (groups[0]?.members ?? []).map(({ groupInstanceId, memberId }) => groupInstanceId ?? memberId);
    },
  };
}

/** Errors of a slow broker, which may nevertheless have created some of the topics. */
const BUSY = ['REQUEST_TIMED_OUT', 'TOPIC_ALREADY_EXISTS', 'NOT_CONTROLLER'];

/** Whether topic creation failed with transient errors only. `replicationFactor`: undefined for that of the broker. */
export function isTransientCreateError(error: unknown, replicationFactor?: number): boolean {
  // Of a broker that has not joined its cluster yet: then no broker can host a replica.
  const passing = replicationFactor === undefined ? [...BUSY, 'INVALID_REPLICATION_FACTOR'] : BUSY;
  return isDisconnected(error) || hasOnly(error, passing);
}
