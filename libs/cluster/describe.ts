/** Describes a cluster for commands that check it. Changes nothing and creates no topic. */
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import { FORBIDDEN_TOPIC, metadataOf, UNKNOWN_TOPIC } from '#streams/client/platformatic/connections.ts';
import { hasCode, toStreamError } from '#streams/client/platformatic/errors.ts';
import {
  type Connection,
  describeConfigsV4,
  describeLogDirsV4,
  FindCoordinatorKeyTypes,
  findCoordinatorV4,
  type metadataV12,
} from '#streams/client/platformatic/library.ts';
import { retryTransient } from '#streams/client/platformatic/retries.ts';
import { accessError } from '#streams/client/platformatic/security.ts';
import { requestEach, withConnections } from './access.ts';

export type TopicFacts = {
  /** The broker's id: a topic that is deleted and created again has another one. */
  readonly id: string;
  readonly partitions: number;
  /** Number of partitions without a leader: nobody can read or write them. */
  readonly leaderless: number;
  readonly replicas: number;
  /** Minimum number of in-sync replicas over all partitions. */
  readonly inSync: number;
  /** Whether these credentials may read, or write. Both are true when the broker has no authorizer. */
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
  /** Settings by the broker's names; null when these credentials may not read them. */
  readonly settings: ReadonlyMap<string, string> | null;
  /** The settings that somebody set for this topic; all others are the broker's defaults. */
  readonly chosen: ReadonlySet<string>;
};

export type ClusterFacts = {
  /** Advertised addresses of all brokers, host:port. */
  readonly brokers: readonly string[];
  /** Those that did not respond, or failed to describe their disks. */
  readonly unreachable: readonly string[];
  /** Disks of the brokers that responded and allow these credentials to describe them. */
  readonly disks: readonly {
    readonly broker: string;
    readonly freeBytes: number;
    readonly totalBytes: number;
  }[];
  /** The requested topics that exist, by name. */
  readonly topics: ReadonlyMap<string, TopicFacts>;
};

/** The request's number for settings of topics. */
export const TOPIC_RESOURCE = 2 as const;
/** The broker's number for a setting of the topic itself. */
const TOPIC_CONFIG = 1;
const CLIENT_ID = 'touchline-doctor';
/** A broker's value for an unknown size of a disk. */
const UNKNOWN_BYTES = -1;

/** Describes a cluster and some of its topics. Rejects with `StreamError` when no broker responds. */
export function describeCluster(brokers: Brokers, names: readonly string[]): Promise<ClusterFacts> {
  return withConnections(brokers, CLIENT_ID, async (connections) => {
    const broker = await connections.any();
    const { topics, brokers: members } = await describeTopics(broker, names);
    const addresses = members.map(({ host, port }) => `${host}:${port}`);
    const answers = await requestEach(brokers, (one) => ifAllowed(describeLogDirsV4.api.async(one, [])));
    const disks = [...(answers ?? [])].flatMap(([address, answer]) =>
      (answer?.results ?? []).map(({ usableBytes, totalBytes }) => {
        return { broker: address, freeBytes: Number(usableBytes), totalBytes: Number(totalBytes) };
      }),
    );
    return {
      brokers: addresses,
      unreachable: addresses.filter((address) => answers?.get(address) === undefined),
      disks: disks.filter(({ totalBytes }) => totalBytes !== UNKNOWN_BYTES),
      topics,
    };
  }).catch((error: unknown) => {
    throw (
      accessError(brokers, shownBrokers(brokers), error) ??
      toStreamError(`describe the cluster at ${shownBrokers(brokers)}`, error)
    );
  });
}

/** Returns the facts of those of these topics that exist, and the members of the cluster: two requests, however many topics. */
export async function describeTopics(
  broker: Connection,
  names: readonly string[],
): Promise<Pick<ClusterFacts, 'topics'> & Pick<metadataV12.MetadataResponse, 'brokers'>> {
  const { topics, brokers } = await metadataOf(broker, null, { withRights: true });
  const wanted = new Set(names);
  const found = topics.filter(({ name }) => wanted.has(name ?? ''));
  const resources = found.map(({ name }) => ({ resourceType: TOPIC_RESOURCE, resourceName: name ?? '' }));
  // The whole request fails when the settings of one topic may not be read.
  const answer =
    resources.length === 0
      ? null
      : await ifAllowed(describeConfigsV4.api.async(broker, resources, false, false));
  const settings = new Map(answer?.results.map(({ resourceName, configs }) => [resourceName, configs]));
  const facts = found.map(
    (topic) => [topic.name ?? '', factsOf(topic, settings.get(topic.name ?? ''))] as const,
  );
  return { brokers, topics: new Map(facts) };
}

/** Resolves with null where these credentials lack the right to a request. Rejects for any other failure. */
function ifAllowed<T>(request: Promise<T>): Promise<T | null> {
  return request.catch((error: unknown) => {
    if (hasCode(error, FORBIDDEN)) return null;
    throw error;
  });
}

type Configs = Awaited<ReturnType<typeof describeConfigsV4.api.async>>['results'][number]['configs'];

function factsOf(topic: metadataV12.MetadataResponseTopic, configs: Configs | undefined): TopicFacts {
  const { topicId, partitions, topicAuthorizedOperations } = topic;
  const chosen = configs?.filter(({ configSource }) => configSource === TOPIC_CONFIG) ?? [];
  return {
    id: topicId,
    partitions: partitions.length,
    leaderless: partitions.filter(({ leaderId }) => leaderId < 0).length,
    replicas: Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length)),
    inSync: Math.min(...partitions.map(({ isrNodes }) => isrNodes.length)),
    mayRead: (topicAuthorizedOperations & OPERATION_BITS.Read) !== 0,
    mayWrite: (topicAuthorizedOperations & OPERATION_BITS.Write) !== 0,
    settings: configs === undefined ? null : new Map(configs.map(({ name, value }) => [name, value ?? ''])),
    chosen: new Set(chosen.map(({ name }) => name)),
  };
}

type NeededRight = {
  readonly operation: 'Read' | 'Write';
  readonly resource: 'Topic' | 'Group' | 'TransactionalId';
  readonly name: string;
};

export type MissingRights<R> = { readonly rights: readonly R[]; readonly topics: readonly string[] };

const RIGHTS_CLIENT = 'touchline-rights';
/** Bits of a topic's authorized operations (KIP-430). */
const OPERATION_BITS = { Read: 1 << 3, Write: 1 << 4 } as const;
/** The value of a broker that does not report authorized operations. */
const UNKNOWN = -(2 ** 31);
const FORBIDDEN = [
  'CLUSTER_AUTHORIZATION_FAILED',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
];

/** Returns the rights and topics that are missing; groups and transactional ids are only looked up. Rejects when no broker responds. */
export function findMissingRights<R extends NeededRight>(
  brokers: Brokers,
  needed: readonly R[],
): Promise<MissingRights<R>> {
  return withConnections(brokers, RIGHTS_CLIENT, async (connections) => {
    const names = new Set(needed.flatMap(({ resource, name }) => (resource === 'Topic' ? [name] : [])));
    const options = { withRights: true, accepts: [UNKNOWN_TOPIC, FORBIDDEN_TOPIC] };
    const { topics } = await retryTransient(async () =>
      metadataOf(await connections.any(), [...names], options),
    );
    const found = new Map(topics.map((topic) => [topic.name, topic]));
    const rights: R[] = [];
    for (const right of needed) {
      const topic = found.get(right.name);
      const isGranted =
        right.resource === 'Topic'
          ? topic !== undefined && isTopicGranted(topic, right)
          : await retryTransient(async () => isFound(await connections.any(), right));
      if (!isGranted) rights.push(right);
    }
    return { rights, topics: [...names].filter((name) => found.get(name)?.errorCode === UNKNOWN_TOPIC) };
  });
}

/** Whether a right to a topic is granted; a missing topic needs none. */
function isTopicGranted(
  { errorCode, topicAuthorizedOperations: allowed }: metadataV12.MetadataResponseTopic,
  { operation }: NeededRight,
): boolean {
  if (errorCode !== 0) return errorCode === UNKNOWN_TOPIC;
  return allowed === UNKNOWN || (allowed & OPERATION_BITS[operation]) !== 0;
}

/** Whether these credentials may look up the coordinator of a group or a transactional id. */
async function isFound(broker: Connection, { resource, name }: NeededRight): Promise<boolean> {
  const { GROUP, TRANSACTION } = FindCoordinatorKeyTypes;
  const type = resource === 'Group' ? GROUP : TRANSACTION;
  return (await ifAllowed(findCoordinatorV4.api.async(broker, type, [name]))) !== null;
}
