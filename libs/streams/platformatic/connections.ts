import { Connection, FindCoordinatorKeyTypes, findCoordinatorV4, metadataV12 } from '@platformatic/kafka';
import { partitionKey, type TopicPartition } from '../port.ts';

const CONNECT_MS = 3_000;
const REQUEST_MS = 15_000;

type Address = { readonly host: string; readonly port: number };

/** Connections to the brokers that one producer talks to. Nothing here is retried: its owner starts anew. */
export class Connections {
  readonly #brokers: readonly string[];
  readonly #clientId: string;
  readonly #open = new Map<string, Promise<Connection>>();
  /** The leader of each partition, by topic. */
  readonly #topics = new Map<string, readonly (Address | undefined)[]>();
  #closed = false;

  constructor(brokers: readonly string[], clientId: string) {
    this.#brokers = brokers;
    this.#clientId = clientId;
  }

  /** The broker that keeps a group's offsets or a producer's transactions. */
  async coordinator(of: 'group' | 'transaction', key: string): Promise<Connection> {
    const type = of === 'group' ? FindCoordinatorKeyTypes.GROUP : FindCoordinatorKeyTypes.TRANSACTION;
    const { coordinators } = await findCoordinatorV4.api.async(await this.any(), type, [key]);
    const [found] = coordinators;
    if (found === undefined) throw new Error(`no coordinator of ${key}`);
    return this.#to(found);
  }

  /** The broker that takes the records of a partition, as of the first time its topic was asked for. */
  async leader({ topic, partition }: TopicPartition): Promise<Connection> {
    const leader = (this.#topics.get(topic) ?? (await this.#find(topic)))[partition];
    if (leader === undefined) throw new Error(`${partitionKey({ topic, partition })} has no leader`);
    return this.#to(leader);
  }

  /** As of the first time the topic was asked for. */
  async partitionCount(topic: string): Promise<number> {
    return (this.#topics.get(topic) ?? (await this.#find(topic))).length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(async (connection) => (await connection).close()));
  }

  /** The first of the brokers to start from that answers. */
  async any(): Promise<Connection> {
    let failure: unknown = new Error('no brokers to start from');
    for (const broker of this.#brokers) {
      const colon = broker.lastIndexOf(':');
      const host = broker.slice(0, colon).replace(/^\[|\]$/g, '');
      try {
        return await this.#to({ host, port: Number(broker.slice(colon + 1)) });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #find(topic: string): Promise<readonly (Address | undefined)[]> {
    const { topics, brokers } = await metadataV12.api.async(await this.any(), [topic], false, false);
    const leaders: (Address | undefined)[] = [];
    for (const { partitionIndex, leaderId } of topics[0]?.partitions ?? [])
      leaders[partitionIndex] = brokers.find(({ nodeId }) => nodeId === leaderId);
    this.#topics.set(topic, leaders);
    return leaders;
  }

  #to({ host, port }: Address): Promise<Connection> {
    if (this.#closed) return Promise.reject(new Error('closed'));
    const key = `${host}:${port}`;
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    // A broker closes what is idle, and one that is away may come back: the next request opens another connection.
    const forget = (): void => {
      if (this.#open.get(key) === opening) this.#open.delete(key);
    };
    const opening = this.#connect(host, port, forget);
    this.#open.set(key, opening);
    opening.catch(forget);
    return opening;
  }

  async #connect(host: string, port: number, onClose: () => void): Promise<Connection> {
    const connection = new Connection(this.#clientId, {
      connectTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
    });
    // Requests under way are rejected with it; an event that nobody hears would end the process.
    connection.on('error', () => {});
    connection.on('close', onClose);
    await connection.connect(host, port);
    return connection;
  }
}
