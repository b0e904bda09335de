import { Connection, FindCoordinatorKeyTypes, findCoordinatorV4, metadataV12 } from '@platformatic/kafka';
import { StreamError } from '../../errors.ts';
import type { TopicPartition } from '../port.ts';
import { NoLeaderError } from './errors.ts';
import { type Address, SharedMetadata, type TopicMetadata } from './topic-metadata.ts';

const CONNECT_MS = 3_000;
const REQUEST_MS = 15_000;

export type ConnectionsOptions = {
  /** Shared with other connections. Default: with none. */
  readonly metadata?: SharedMetadata;
  /** Called when they are closed. */
  readonly onClose?: () => void;
};

/**
 * Connections to the brokers that one owner talks to. One that the broker closes, for idleness or at its end, is opened
 * again when it is next needed. Requests are not retried here.
 */
export class Connections {
  readonly #bootstrap: readonly Address[];
  readonly #clientId: string;
  readonly #open = new Map<string, Promise<Connection>>();
  readonly #topics = new Map<string, Promise<TopicMetadata>>();
  readonly #coordinators = new Map<string, Promise<Address>>();
  /** Every broker of the cluster, once one has named them. */
  #brokers: readonly Address[] = [];
  readonly #metadata: SharedMetadata;
  readonly #onClose: () => void;
  #opened = 0;
  #closed = false;

  constructor(brokers: readonly string[], clientId: string, options: ConnectionsOptions = {}) {
    const { metadata = new SharedMetadata(), onClose = () => {} } = options;
    this.#bootstrap = brokers.map(parseAddress);
    this.#clientId = clientId;
    this.#metadata = metadata;
    this.#onClose = onClose;
  }

  /** How many connections were opened so far: one more than before means that one was lost, or a broker has moved. */
  get opened(): number {
    return this.#opened;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The broker that keeps a group's offsets or a producer's transactions. */
  async coordinator(of: 'group' | 'transaction', key: string): Promise<Connection> {
    const name = `${of} ${key}`;
    const found =
      this.#coordinators.get(name) ?? this.#keep(this.#coordinators, name, this.#findCoordinator(of, key));
    return this.#to(await found);
  }

  /** The broker that leads a partition. */
  async leader({ topic, partition }: TopicPartition): Promise<Connection> {
    const { leaders } = await this.#topic(topic);
    const leader = leaders[partition];
    if (leader !== undefined) return this.#to(leader);
    this.#topics.delete(topic);
    this.#metadata.forget(topic);
    const known = leaders.length;
    if (partition >= known)
      throw new StreamError('REJECTED', `${topic} has ${known} partitions, there is none ${partition}`);
    throw new NoLeaderError({ topic, partition });
  }

  async partitionCount(topic: string): Promise<number> {
    return (await this.#topic(topic)).leaders.length;
  }

  /** The id that the cluster gave the topic when it was created. */
  async topicId(topic: string): Promise<string> {
    return (await this.#topic(topic)).id;
  }

  /** Leaders, coordinators and partition counts are asked for again when they are next needed. */
  forget(): void {
    this.#topics.clear();
    this.#metadata.forget();
    this.#coordinators.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(async (connection) => end(await connection)));
  }

  /** A broker that answers: one that is connected, else the first of those known that can be. */
  async any(): Promise<Connection> {
    for (const opening of this.#open.values()) {
      const connection = await opening.catch(() => null);
      if (connection?.isConnected()) return connection;
    }
    let failure: unknown = new StreamError('UNAVAILABLE', 'no brokers to start from');
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
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    const answer = this.#metadata.topic(name, () => this.#findTopic(name));
    const found = await this.#keep(this.#topics, name, answer);
    this.#brokers = found.brokers;
    return found;
  }

  /** Keeps an answer that is on its way, unless it fails. */
  #keep<T>(answers: Map<string, Promise<T>>, name: string, answer: Promise<T>): Promise<T> {
    answers.set(name, answer);
    answer.catch(() => {
      if (answers.get(name) === answer) answers.delete(name);
    });
    return answer;
  }

  async #findTopic(name: string): Promise<TopicMetadata> {
    const { topics, brokers } = await metadataV12.api.async(await this.any(), [name], false, false);
    const leaders: (Address | undefined)[] = [];
    for (const { partitionIndex, leaderId } of topics[0]?.partitions ?? [])
      leaders[partitionIndex] = brokers.find(({ nodeId }) => nodeId === leaderId);
    return {
      id: topics[0]?.topicId ?? '',
      leaders,
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
    // Where a broker cannot be reached, what it led and coordinated is looked for elsewhere the next time.
    opening.catch(() => this.#drop(key, opening));
    return opening;
  }

  #drop(key: string, opening: Promise<Connection>): void {
    if (this.#open.get(key) !== opening) return;
    this.#open.delete(key);
    this.forget();
  }

  async #connect(key: string, { host, port }: Address): Promise<Connection> {
    const connection = new Connection(this.#clientId, {
      connectTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
    });
    // Requests under way are rejected with it; an event that nobody hears would end the process.
    connection.on('error', () => {});
    try {
      await connection.connect(host, port);
    } catch (error) {
      await end(connection);
      throw error;
    }
    this.#opened += 1;
    const opened = this.#open.get(key);
    if (opened !== undefined) connection.once('close', () => this.#drop(key, opened));
    if (this.#closed) await end(connection);
    return connection;
  }
}

/** Without waiting for a peer that takes nothing any more. */
async function end(connection: Connection): Promise<void> {
  const ended = connection.close();
  connection.socket?.destroy();
  await ended;
}

function parseAddress(broker: string): Address {
  const colon = broker.lastIndexOf(':');
  return { host: broker.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(broker.slice(colon + 1)) };
}
