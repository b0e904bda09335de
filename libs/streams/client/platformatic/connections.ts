import { addressesOf, type Brokers } from '#security/brokers.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { StreamError } from '../../errors.ts';
import type { TopicPartition } from '../port.ts';
import { NoLeaderError } from './errors.ts';
import {
  type Connection,
  FindCoordinatorKeyTypes,
  findCoordinatorV4,
  metadataV12 as metadata,
  type metadataV12,
} from './library.ts';
import { accessError, connectionSecurity } from './security.ts';
import { SessionConnection } from './session-connection.ts';

const CONNECT_MS = 3_000;
const REQUEST_MS = 15_000;
/** How long connections share metadata: long enough for one start, short enough to notice a restarted broker. */
const SHARED_MS = 1_000;

type Address = { readonly host: string; readonly port: number };

type TopicMetadata = {
  readonly id: string;
  /** By partition; undefined for one without a leader. */
  readonly leaders: readonly (Address | undefined)[];
  readonly leaderEpochs: readonly number[];
  readonly brokers: readonly Address[];
};

/** Returns a cache of topic metadata for a client's connections: one request for many claims. Who finds an entry outdated removes it. */
export function sharedMetadata(): PromiseCache<TopicMetadata> {
  return new PromiseCache(SHARED_MS);
}

/** One owner's connections to the brokers; a closed one is opened again for the next request. Does not retry requests. */
export class BrokerConnections {
  readonly #cluster: Brokers;
  readonly #bootstrap: readonly Address[];
  readonly #clientId: string;
  readonly #open = new Map<string, Promise<Connection>>();
  readonly #topics = new PromiseCache<TopicMetadata>();
  readonly #coordinators = new PromiseCache<Address>();
  /** All brokers of the cluster; empty until the first metadata. */
  #brokers: readonly Address[] = [];
  readonly #metadata: PromiseCache<TopicMetadata>;
  readonly #onClose: () => void;
  /** Number of connections opened and lost so far. An increase means that a broker may have restarted or a leader moved. */
  changes = 0;
  /** The last error of a connection; null without one. Errors of its requests do not name the cause. */
  lastError: unknown = null;
  isClosed = false;

  constructor(brokers: Brokers, clientId: string, metadata = sharedMetadata(), onClose = () => {}) {
    this.#cluster = brokers;
    this.#bootstrap = addressesOf(brokers).map(parseAddress);
    this.#clientId = clientId;
    this.#metadata = metadata;
    this.#onClose = onClose;
  }

  async coordinator(of: 'group' | 'transaction', key: string): Promise<Connection> {
    const find = () => this.#findCoordinator(of, key);
    return this.#connectTo(await this.#coordinators.get(`${of} ${key}`, find));
  }

  /** Returns the connection to the broker that creates and deletes topics, or to one that forwards the request. */
  async controller(): Promise<Connection> {
    const { brokers, controllerId } = await metadataOf(await this.any(), []);
    const found = brokers.find(({ nodeId }) => nodeId === controllerId);
    return found === undefined ? this.any() : this.#connectTo(found);
  }

  /** Returns the connection to a partition's leader. Rejects with `NoLeaderError`, or REJECTED for a missing partition. */
  async leader({ topic, partition }: TopicPartition): Promise<Connection> {
    const { leaders } = await this.topic(topic);
    const leader = leaders[partition];
    if (leader !== undefined) return this.#connectTo(leader);
    this.forgetTopic(topic);
    const count = leaders.length;
    if (partition >= count)
      throw new StreamError('REJECTED', `${topic} has ${count} partitions, and no partition ${partition}`);
    throw new NoLeaderError({ topic, partition });
  }

  /** Returns the metadata of a topic, as known until it is forgotten. Rejects for a missing topic. */
  async topic(name: string): Promise<TopicMetadata> {
    const find = () => this.#metadata.get(name, () => this.#findTopic(name));
    const found = await this.#topics.get(name, find);
    this.#brokers = found.brokers;
    return found;
  }

  /** Forgets leaders, coordinators and partition counts. The next use requests them again. */
  forget(): void {
    this.#topics.forget();
    this.#metadata.forget();
    this.#coordinators.forget();
  }

  forgetTopic(topic: string): void {
    this.#topics.forget(topic);
    this.#metadata.forget(topic);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.#onClose();
    await this.reset();
  }

  async reset(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    this.forget();
    await Promise.allSettled(open.map(async (connection) => end(await connection)));
  }

  /** Returns an open connection, else one to the first known broker that accepts it. Rejects with the last error. */
  async any(): Promise<Connection> {
    for (const opening of this.#open.values()) {
      const connection = await opening.catch(() => null);
      if (connection?.isConnected()) return connection;
    }
    let failure: unknown = new StreamError('UNAVAILABLE', 'no bootstrap brokers');
    for (const address of [...this.#bootstrap, ...this.#brokers]) {
      try {
        return await this.#connectTo(address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #findTopic(name: string): Promise<TopicMetadata> {
    const { topics, brokers } = await metadataOf(await this.any(), [name]);
    const leaders: (Address | undefined)[] = [];
    const leaderEpochs: number[] = [];
    for (const { partitionIndex, leaderId, leaderEpoch } of topics[0]?.partitions ?? []) {
      leaders[partitionIndex] = brokers.find(({ nodeId }) => nodeId === leaderId);
      leaderEpochs[partitionIndex] = leaderEpoch;
    }
    return { id: topics[0]?.topicId ?? '', leaders, leaderEpochs, brokers };
  }

  async #findCoordinator(of: 'group' | 'transaction', key: string): Promise<Address> {
    const type = of === 'group' ? FindCoordinatorKeyTypes.GROUP : FindCoordinatorKeyTypes.TRANSACTION;
    const { coordinators } = await findCoordinatorV4.api.async(await this.any(), type, [key]);
    const [found] = coordinators;
    if (found === undefined) throw new StreamError('UNAVAILABLE', `no coordinator of ${key}`);
    return { host: found.host, port: found.port };
  }

  async #connectTo(address: Address): Promise<Connection> {
    if (this.isClosed) throw new StreamError('UNAVAILABLE', 'the connections are closed');
    const key = `${address.host}:${address.port}`;
    const existing = this.#open.get(key);
    if (existing !== undefined) return existing;
    const opening = this.#connect(key, address);
    this.#open.set(key, opening);
    // Another broker may lead the partitions of an unreachable one, so `#drop` forgets the metadata.
    opening.catch(() => this.#drop(key, opening));
    return opening;
  }

  #drop(key: string, opening: Promise<Connection>): void {
    if (this.#open.get(key) !== opening) return;
    this.#open.delete(key);
    this.changes += 1;
    this.forget();
  }

  async #connect(key: string, { host, port }: Address): Promise<Connection> {
    const connection = new SessionConnection(this.#clientId, {
      connectTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      ...connectionSecurity(this.#cluster, host),
    });
    // An error event without a listener would end the process.
    connection.on('error', (error) => {
      this.lastError = error;
    });
    try {
      await connection.connect(host, port);
    } catch (error) {
      await end(connection);
      throw accessError(this.#cluster, key, error) ?? error;
    }
    this.changes += 1;
    const opened = this.#open.get(key);
    if (opened !== undefined) connection.once('close', () => this.#drop(key, opened));
    if (this.isClosed) await end(connection);
    return connection;
  }
}

/** The broker's codes of a topic that does not exist, and of one that these credentials may not describe. */
export const UNKNOWN_TOPIC = 3;
export const FORBIDDEN_TOPIC = 29;

/**
 * Returns the metadata of topics, null: of all. Creates none. The library rejects a response with a partition without a leader; `accepts`:
 * codes of topics that are in the response all the same.
 */
export async function metadataOf(
  broker: Connection,
  names: readonly string[] | null,
  { withRights = false, accepts = [] }: { withRights?: boolean; accepts?: readonly number[] } = {},
): Promise<metadataV12.MetadataResponse> {
  try {
    return await metadata.api.async(broker, names === null ? null : [...names], false, withRights);
  } catch (error) {
    const { response } = error as { readonly response?: metadataV12.MetadataResponse };
    if (response?.topics.every(({ errorCode }) => errorCode === 0 || accepts.includes(errorCode)))
      return response;
    throw error;
  }
}

/** Closes a connection without waiting for a peer that no longer reads. */
async function end(connection: Connection): Promise<void> {
  const ended = connection.close();
  connection.socket?.destroy();
  await ended;
}

function parseAddress(broker: string): Address {
  const colon = broker.lastIndexOf(':');
  return { host: broker.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(broker.slice(colon + 1)) };
}

/** Groups partitions by the connection to their leader. Rejects as `BrokerConnections.leader`. */
export async function byLeader<P extends TopicPartition>(
  connections: BrokerConnections,
  partitions: readonly P[],
): Promise<Map<Connection, P[]>> {
  const leaders = new Map<P, Connection>();
  for (const one of partitions) leaders.set(one, await connections.leader(one));
  return Map.groupBy(partitions, (one) => leaders.get(one) as Connection);
}
