/** A cluster as its brokers describe it, for commands that check it. Nothing is changed, and no topic is created. */
import { type Brokers, brokersAt, shownBrokers } from '#security/brokers.ts';
import { BrokerConnections, metadataOf } from '#streams/client/platformatic/connections.ts';
import { toStreamError } from '#streams/client/platformatic/errors.ts';
import {
  describeConfigsV4,
  describeLogDirsV4,
  type metadataV12,
} from '#streams/client/platformatic/library.ts';
import { accessError } from '#streams/client/platformatic/security.ts';
import { askAny } from './access.ts';

/** A topic of a cluster. */
export type TopicFacts = {
  readonly partitions: number;
  /** Partitions without a leader: nobody can read or write them. */
  readonly leaderless: number;
  /** The least number of replicas, and of those in sync, over all partitions. */
  readonly replicas: number;
  readonly inSync: number;
  /** What these credentials may do; true of all where the broker has no authorizer. */
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
  /** By the broker's names; null where they may not be read. */
  readonly settings: ReadonlyMap<string, string> | null;
};

/** A folder of a broker's log. */
type DiskFacts = { readonly broker: string; readonly freeBytes: number; readonly totalBytes: number };

/** What a cluster says of itself. */
export type ClusterFacts = {
  /** All brokers, host:port, as clients are told to reach them. */
  readonly brokers: readonly string[];
  /** Of those brokers that answered, and where these credentials may ask. */
  readonly unreachable: readonly string[];
  readonly disks: readonly DiskFacts[];
  /** Topics that were asked for and are there, by name. */
  readonly topics: ReadonlyMap<string, TopicFacts>;
};

/** Bits of a topic's authorized operations (KIP-430). */
const READ = 1 << 3;
const WRITE = 1 << 4;
const TOPIC = 2;
const CLIENT_ID = 'touchline-doctor';
/** Where a broker has no answer for the size of a disk. */
const UNKNOWN_BYTES = -1;

/** Describes a cluster and some of its topics. Rejects with `StreamError` where no broker answers. */
export async function describeCluster(brokers: Brokers, names: readonly string[]): Promise<ClusterFacts> {
  const connections = new BrokerConnections(brokers, CLIENT_ID);
  try {
    const broker = await connections.any();
    const { topics, brokers: members } = await metadataOf(broker, null, true);
    const wanted = new Set(names);
    const found = topics.filter(({ name }) => wanted.has(name ?? ''));
    const settings = await settingsOf(
      broker,
      found.map(({ name }) => name ?? ''),
    );
    const addresses = members.map(({ host, port }) => `${host}:${port}`);
    const disks = await Promise.all(addresses.map((address) => disksOf(brokers, address)));
    return {
      brokers: addresses,
      unreachable: addresses.filter((_, at) => disks[at] === null),
      disks: disks.flatMap((of) => of ?? []),
      topics: new Map(
        found.map((topic) => [topic.name ?? '', factsOf(topic, settings.get(topic.name ?? '') ?? null)]),
      ),
    };
  } catch (error) {
    throw accessError(brokers, shownBrokers(brokers), error) ?? toStreamError('describe the cluster', error);
  } finally {
    await connections.close();
  }
}

type Broker = Awaited<ReturnType<BrokerConnections['any']>>;
type Topic = metadataV12.MetadataResponseTopic;

function factsOf(
  { partitions, topicAuthorizedOperations }: Topic,
  settings: TopicFacts['settings'],
): TopicFacts {
  const least = (count: (partition: Topic['partitions'][number]) => number): number =>
    Math.min(...partitions.map(count));
  return {
    partitions: partitions.length,
    leaderless: partitions.filter(({ leaderId }) => leaderId < 0).length,
    replicas: least(({ replicaNodes }) => replicaNodes.length),
    inSync: least(({ isrNodes }) => isrNodes.length),
    mayRead: (topicAuthorizedOperations & READ) !== 0,
    mayWrite: (topicAuthorizedOperations & WRITE) !== 0,
    settings,
  };
}

async function settingsOf(
  broker: Broker,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  if (names.length === 0) return new Map();
  const resources = names.map((resourceName) => ({ resourceType: TOPIC, resourceName }) as const);
  // Where they may not be read the whole request fails.
  const { results } = await describeConfigsV4.api
    .async(broker, resources, false, false)
    .catch(() => ({ results: [] }));
  return new Map(
    results.map(({ resourceName, configs }) => [
      resourceName,
      new Map(configs.map(({ name, value }) => [name, value ?? ''])),
    ]),
  );
}

/** The disks of one broker, none where these credentials may not ask; null where it does not answer. */
async function disksOf(brokers: Brokers, address: string): Promise<DiskFacts[] | null> {
  const answer = await askAny(brokersAt(brokers, [address]), (broker) =>
    describeLogDirsV4.api.async(broker, []).catch(() => ({ results: [] })),
  );
  if (answer === undefined) return null;
  return answer.results.flatMap(({ usableBytes, totalBytes }) =>
    Number(totalBytes) === UNKNOWN_BYTES
      ? []
      : [{ broker: address, freeBytes: Number(usableBytes), totalBytes: Number(totalBytes) }],
  );
}
