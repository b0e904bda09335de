import { addressesOf, type Brokers } from '#security/brokers.ts';
import { Answers } from '#timing/answers.ts';
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
/** How long metadata may be shared: a start requests the same topics many times, a restart changes leaders. */
const SHARED_MS = 1_000;

/** The address of a broker. */
type Address = { readonly host: string; readonly port: number };

/** A topic's metadata. */
type TopicMetadata = {
  /** The topic's id, set by the cluster at its creation. */
  readonly id: string;
  /** By partition; undefined where there is none. */
  readonly leaders: readonly (Address | undefined)[];
  /** The epoch of each leader, by partition. */
  readonly leaderEpochs: readonly number[];
  /** All brokers of the cluster, from the same answer. */
  readonly brokers: readonly Address[];
};

/**
 * Recent metadata of topics, shared by all connections of a client: partitions claimed together cause one request. A caller
 * that finds it wrong forgets it for all.
 */
export class SharedMetadata extends Answers<TopicMetadata> {
  constructor() {
    super(SHARED_MS);
  }
}

export type ConnectionsOptions = {
  /** Shared with other connections. Default: not shared. */
  readonly metadata?: SharedMetadata;
  /** Called on close. */
  readonly onClose?: () => void;
};

/**
 * One owner's connections to the brokers. A connection that the broker closes, idle or shutting down, is opened again
 * when it is next needed. Requests are not retried here.
 */
export class BrokerConnections {
  readonly #cluster: Brokers;
  readonly #bootstrap: readonly Address[];
  readonly #clientId: string;
  readonly #open = new Map<string, Promise<Connection>>();
  readonly #topics = new Answers<TopicMetadata>();
  readonly #coordinators = new Answers<Address>();
  /** Every broker of the cluster, once known. */
  #brokers: readonly Address[] = [];
  readonly #metadata: SharedMetadata;
  readonly #onClose: () => void;
  #changes = 0;
  #lastError: unknown = null;
  #closed = false;

  constructor(brokers: Brokers, clientId: string, options: ConnectionsOptions = {}) {
    const { metadata = new SharedMetadata(), onClose = () => {} } = options;
    this.#cluster = brokers;
    this.#bootstrap = addressesOf(brokers).map(parseAddress);
    this.#clientId = clientId;
    this.#metadata = metadata;
    this.#onClose = onClose;
  }

  /** Number of connections opened and lost so far: an increase means that a broker may have restarted or moved. */
  get changes(): number {
    return this.#changes;
  }

  /** Why a connection ended last: errors of its requests say only that it did. Null without one. */
  get lastError(): unknown {
    return this.#lastError;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The coordinator of a group's offsets or a producer's transactions. */
  async coordinator(of: 'group' | 'transaction', key: string): Promise<Connection> {
    const find = () => this.#findCoordinator(of, key);
    return this.#to(await this.#coordinators.of(`${of} ${key}`, find));
  }

  /** The broker that creates and deletes topics, or one that forwards to it. */
  async controller(): Promise<Connection> {
    const { brokers, controllerId } = await metadataOf(await this.any(), []);
    const found = brokers.find(({ nodeId }) => nodeId === controllerId);
    return found === undefined ? this.any() : this.#to(found);
  }

  /** The broker that leads a partition. */
  async leader({ topic, partition }: TopicPartition): Promise<Connection> {
    const { leaders } = await this.#topic(topic);
    const leader = leaders[partition];
    if (leader !== undefined) return this.#to(leader);
    this.forgetTopic(topic);
    const known = leaders.length;
    if (partition >= known)
      throw new StreamError('REJECTED', `${topic} has ${known} partitions, and no partition ${partition}`);
    throw new NoLeaderError({ topic, partition });
  }

  /** The epoch of the leader of a partition, as of the same metadata as `leader`. */
  async leaderEpoch({ topic, partition }: TopicPartition): Promise<number> {
    return (await this.#topic(topic)).leaderEpochs[partition] ?? -1;
  }

  async partitionCount(topic: string): Promise<number> {
    return (await this.#topic(topic)).leaders.length;
  }

  /** Of each partition of a topic, whether it has a leader. */
  async led(topic: string): Promise<readonly boolean[]> {
    return Array.from((await this.#topic(topic)).leaders, (leader) => leader !== undefined);
  }

  /** The id of the topic, set by the cluster at its creation. */
  async topicId(topic: string): Promise<string> {
    return (await this.#topic(topic)).id;
  }

  /** Forgets leaders, coordinators and partition counts: they are requested again when next needed. */
  forget(): void {
    this.#topics.forget();
    this.#metadata.forget();
    this.#coordinators.forget();
  }

  /** Forgets the leaders of a topic: they are requested again when next needed. */
  forgetTopic(topic: string): void {
    this.#topics.forget(topic);
    this.#metadata.forget(topic);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
    await this.reset();
  }

  /** Closes what is open; the next request connects again. */
  async reset(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    this.forget();
    await Promise.allSettled(open.map(async (connection) => end(await connection)));
  }

  /** A broker that answers: a connected one, else the first known one that accepts a connection. */
  async any(): Promise<Connection> {
    for (const opening of this.#open.values()) {
      const connection = await opening.catch(() => null);
      if (connection?.isConnected()) return connection;
    }
    let failure: unknown = new StreamError('UNAVAILABLE', 'no bootstrap brokers');
    for (const address of [...this.#bootstrap, ...this.#brokers]) {
      try {
        return await this.#to(address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #topic(name: string): Promise<TopicMetadata> {
    const ask = () => this.#metadata.of(name, () => this.#findTopic(name));
    const found = await this.#topics.of(name, ask);
    this.#brokers = found.brokers;
    return found;
  }

  async #findTopic(name: string): Promise<TopicMetadata> {
    const { topics, brokers } = await metadataOf(await this.any(), [name]);
    const leaders: (Address | undefined)[] = [];
    const leaderEpochs: number[] = [];
    for (const { partitionIndex, leaderId, leaderEpoch } of topics[0]?.partitions ?? []) {
      leaders[partitionIndex] = brokers.find(({ nodeId }) => nodeId === leaderId);
      leaderEpochs[partitionIndex] = leaderEpoch;
    }
    return {
      id: topics[0]?.topicId ?? '',
      leaders,
      leaderEpochs,
      brokers: brokers.map(({ host, port }) => ({ host, port })),
    };
  }

  async #findCoordinator(of: 'group' | 'transaction', key: string): Promise<Address> {
    const type = of === 'group' ? FindCoordinatorKeyTypes.GROUP : FindCoordinatorKeyTypes.TRANSACTION;
    const { coordinators } = await findCoordinatorV4.api.async(await this.any(), type, [key]);
    const [found] = coordinators;
    if (found === undefined) throw new StreamError('UNAVAILABLE', `no coordinator of ${key}`);
    return { host: found.host, port: found.port };
  }

  async #to(address: Address): Promise<Connection> {
    if (this.#closed) throw new StreamError('UNAVAILABLE', 'the connections are closed');
    const key = `${address.host}:${address.port}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opening = this.#connect(key, address);
    this.#open.set(key, opening);
    // After a failed connection, look up the broker's partitions and coordinated ids again.
    opening.catch(() => this.#drop(key, opening));
    return opening;
  }

  #drop(key: string, opening: Promise<Connection>): void {
    if (this.#open.get(key) !== opening) return;
    this.#open.delete(key);
    this.#changes += 1;
    this.forget();
  }

  async #connect(key: string, { host, port }: Address): Promise<Connection> {
    const connection = new SessionConnection(this.#clientId, {
      connectTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      ...connectionSecurity(this.#cluster, host),
    });
    // Closing rejects requests under way with it; an error event without a listener would end the process.
    connection.on('error', (error) => {
      this.#lastError = error;
    });
    try {
      await connection.connect(host, port);
    } catch (error) {
      await end(connection);
      throw accessError(this.#cluster, key, error) ?? error;
    }
    this.#changes += 1;
    const opened = this.#open.get(key);
    if (opened !== undefined) connection.once('close', () => this.#drop(key, opened));
    if (this.#closed) await end(connection);
    return connection;
  }
}

/**
 * The metadata of these topics, of all where null: a request by name would create them where the broker creates topics
 * automatically. The library rejects an answer in which one partition has no leader; here such a partition fails nothing else.
 */
export async function metadataOf(
  broker: Connection,
  names: readonly string[] | null,
  withRights = false,
): Promise<metadataV12.MetadataResponse> {
  try {
    return await metadata.api.async(broker, names === null ? null : [...names], false, withRights);
  } catch (error) {
    const answer = (error as { readonly response?: metadataV12.MetadataResponse }).response;
    if (answer?.topics.every(({ errorCode }) => errorCode === 0)) return answer;
    throw error;
  }
}

/** Does not wait for a peer that no longer reads. */
async function end(connection: Connection): Promise<void> {
  const ended = connection.close();
  connection.socket?.destroy();
  await ended;
}

function parseAddress(broker: string): Address {
  const colon = broker.lastIndexOf(':');
  return { host: broker.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(broker.slice(colon + 1)) };
}

/** Partitions by the connection to their leader. */
export async function byLeader<P extends TopicPartition>(
  connections: BrokerConnections,
  partitions: readonly P[],
): Promise<Map<Connection, P[]>> {
  const found = new Map<Connection, P[]>();
  for (const of of partitions) {
    const leader = await connections.leader(of);
    const known = found.get(leader);
    if (known === undefined) found.set(leader, [of]);
    else known.push(of);
  }
  return found;
}
