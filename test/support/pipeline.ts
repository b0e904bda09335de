import { readPositions, topicBounds } from '#cluster/logs.ts';
import type {
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
  TopicValues,
} from '#records/types.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import type { ServiceName } from '#topics/acls.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { TestBackbone } from '../setup/backbone.ts';
import { connectionEnv } from './environment.ts';
import { quietLog } from './log.ts';
import { DEADLINE_MS, until, untilTrue } from './poll.ts';
import { startService, type TestService } from './processes.ts';
import { readEvery } from './read-records.ts';
import { makeTopicsOf } from './topics.ts';

/** Default number of partitions of the topics of a match in tests: several tasks, at a third of the cost of eight. */
export const FEW_PARTITIONS = 3;

/** The broker, registry and topics of a test's pipeline. */
export type PipelineConnection = TestBackbone & {
  /** Replication factor of the topics. Default: the broker's own. */
  readonly replicationFactor?: number;
  /** Partitions of the topics of a match. Default `FEW_PARTITIONS`. */
  readonly partitions?: number;
  /** Creates only the topics that these services need (`makeTopicsOf`). Default: all. */
  readonly services?: readonly ServiceName[];
};

/** The output of the match processors, read committed. */
export type PipelineOutput = {
  readonly states: ReadonlyMap<number, MatchState>;
  readonly incidents: ReadonlyMap<string, MatchIncident>;
  /** All transitions; those of one event in the order of the log. */
  readonly transitions: readonly MatchTransition[];
};

/**
 * Topics under a separate prefix with real match processors, and functions to write the input and to read the
 * output.
 */
export class Pipeline {
  readonly connection: PipelineConnection;
  readonly #registry: Registry;

  private constructor(connection: PipelineConnection, registry: Registry) {
    this.connection = connection;
    this.#registry = registry;
  }

  static async create(connection: PipelineConnection): Promise<Pipeline> {
    const registry = new Registry({ url: connection.registryUrl, prefix: connection.prefix });
    // Every writer registers the schema of its topic; all of them would be a hundred requests for each test.
    const { services, ...wanted } = { partitions: FEW_PARTITIONS, ...connection };
    if (services === undefined) await createTopics(wanted);
    else await makeTopicsOf(services, wanted);
    return new Pipeline(connection, registry);
  }

  startProcessor(settings: Readonly<Record<string, string>> = {}): TestService {
    return startService('match-processor', {
      ...connectionEnv(this.connection),
      SESSION_TIMEOUT_MS: '6000',
      ...settings,
    });
  }

  /** Opens a publisher that publishes messages as an ingress service does. The caller must close it. */
  async openFeed() {
    const codec = await this.#registry.codec('normalized-messages');
    const feed = await openPublisher({
      brokers: this.connection.brokers,
      clientId: 'test-feed',
      log: quietLog,
      // On a busy broker, partitions of a new topic have no leader for a while.
      timeoutMs: DEADLINE_MS,
    });
    const topic = topicName(this.connection.prefix, 'normalized-messages');
    return {
      send: (messages: readonly NormalizedMessage[]): Promise<void> =>
        feed.publish(messages.map((one) => ({ topic, key: String(one.event_id), value: codec.encode(one) }))),
      close: () => feed.close(),
    };
  }

  async feed(messages: readonly NormalizedMessage[]): Promise<void> {
    const feed = await this.openFeed();
    await feed.send(messages);
    await feed.close();
  }

  /** Waits until every current message is processed and committed, in all partitions or in those of `only`. */
  async settled(only?: readonly number[]): Promise<void> {
    const { brokers, prefix } = this.connection;
    const topic = topicName(prefix, 'normalized-messages');
    const application = `${prefix}match-processor`;
    const ends = await until('the ends of the input are known', () =>
      // A broker that has just started may not answer yet.
      topicBounds({ brokers, clientId: 'test-settled' }, [topic]).catch(() => undefined),
    );
    const awaited = ends.filter(({ partition, end }) => end > 0 && (only?.includes(partition) ?? true));
    await untilTrue('the positions are at the ends of the input', async () => {
      const positions = await readPositions({ brokers, application }).catch(() => null);
      return awaited.every(({ partition, end }) => (positions?.get(partition) ?? -1) >= end);
    });
  }

  async output(): Promise<PipelineOutput> {
    const states = new Map<number, MatchState>();
    const incidents = new Map<string, MatchIncident>();
    const transitions: MatchTransition[] = [];
    await Promise.all([
      this.read('match-state', (value) => states.set(value.event_id, value)),
      this.read('match-incidents', (value) => incidents.set(`${value.event_id}/${value.id}`, value)),
      this.read('match-transitions', (value) => transitions.push(value)),
    ]);
    return { states, incidents, transitions };
  }

  /** Returns the number of values of a topic so far. */
  async count(topic: TopicName): Promise<number> {
    let count = 0;
    await this.read(topic, () => {
      count += 1;
    });
    return count;
  }

  /**
   * Calls `onValue` with every value of a topic, from its beginning to its current end, without tombstones. `at`: when it was written,
   * Unix milliseconds.
   */
  async read<T extends TopicName>(
    topic: T,
    onValue: (value: TopicValues[T], at: number) => void,
  ): Promise<void> {
    const { brokers, prefix } = this.connection;
    const source = { brokers, prefix, registry: this.#registry };
    await readEvery(topic, source, (value, { timestamp }) => onValue(value, timestamp));
  }
}
