import { readPositions, topicBounds } from '#cluster/logs.ts';
import { readTopic } from '#cluster/read-topic.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import type {
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
  TopicValues,
} from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { placeEnv } from './environment.ts';
import { quietLog } from './log.ts';
import { DEADLINE_MS, until, untilTrue } from './poll.ts';
import { startService, type TestService } from './processes.ts';

/** Of the topics of a match where a test does not say: several tasks, and a third of the work of eight. */
export const FEW_PARTITIONS = 3;

/** Where a pipeline of a test runs. */
export type PipelineConnection = {
  readonly brokers: string[];
  readonly registryUrl: string;
  readonly prefix: string;
  /** Of the topics. Default: the broker's own. */
  readonly replicationFactor?: number;
  /** Of the topics of a match. Default FEW_PARTITIONS. */
  readonly partitions?: number;
};

/** Everything a match processor wrote, read committed. */
export type PipelineOutput = {
  /** The last match-state of each event. */
  readonly states: ReadonlyMap<number, MatchState>;
  /** The last record of each incident, by key. */
  readonly incidents: ReadonlyMap<string, MatchIncident>;
  /** All transitions, each event's in the order of the log. */
  readonly transitions: readonly MatchTransition[];
};

/** Topics under a prefix of their own, real match processors on them, and what to feed and read them with. */
export class Pipeline {
  readonly place: PipelineConnection;
  readonly #registry: Registry;

  private constructor(place: PipelineConnection, registry: Registry) {
    this.place = place;
    this.#registry = registry;
  }

  static async create(place: PipelineConnection): Promise<Pipeline> {
    const registry = Registry.open({ url: place.registryUrl, prefix: place.prefix });
    // Whoever writes to a topic registers its schema: all of them would be a hundred requests a test.
    await createTopics({ partitions: FEW_PARTITIONS, ...place });
    return new Pipeline(place, registry);
  }

  startProcessor(settings: Readonly<Record<string, string>> = {}): TestService {
    return startService('match-processor', {
      ...placeEnv(this.place),
      SESSION_TIMEOUT_MS: '6000',
      ...settings,
    });
  }

  /** Publishes messages as an ingress service does; gives a function for more. `close` it. */
  async openFeed(): Promise<{
    send(messages: readonly NormalizedMessage[]): Promise<void>;
    close(): Promise<void>;
  }> {
    const codec = await this.#registry.codec('normalized-messages');
    const feed = await openPublisher({
      brokers: this.place.brokers,
      clientId: 'test-feed',
      log: quietLog,
      // A busy broker leads a new topic's partitions only after a while.
      timeoutMs: DEADLINE_MS,
    });
    const topic = topicName(this.place.prefix, 'normalized-messages');
    return {
      send: (messages) =>
        feed.publish(
          messages.map((message) => ({
            topic,
            key: String(message.event_id),
            value: codec.encode(message),
          })),
        ),
      close: () => feed.close(),
    };
  }

  async feed(messages: readonly NormalizedMessage[]): Promise<void> {
    const feed = await this.openFeed();
    await feed.send(messages);
    await feed.close();
  }

  /** Waits until every message that is there now is processed and committed, of these partitions only where some are named. */
  async settled(only?: readonly number[]): Promise<void> {
    const { brokers, prefix } = this.place;
    const topic = topicName(prefix, 'normalized-messages');
    const application = `${prefix}match-processor`;
    const ends = await until('the ends of the input are known', () =>
      // A broker that has just started may not answer yet.
      topicBounds({ brokers, clientId: 'test-settled' }, [topic]).catch(() => undefined),
    );
    const awaited = ends.filter(({ partition, end }) => end > 0 && (only?.includes(partition) ?? true));
    await untilTrue('the positions are at the ends of the input', async () => {
      const positions = await readPositions({ brokers, application, log: quietLog }).catch(() => null);
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

  /** Gives every value of a topic, from its beginning to its end as of now. Tombstones are left out. */
  async read<T extends TopicName>(topic: T, onValue: (value: TopicValues[T]) => void): Promise<void> {
    const codec = await this.#registry.codec(topic);
    await readTopic({
      brokers: this.place.brokers,
      topic: topicName(this.place.prefix, topic),
      untilEnd: true,
      onRecord: async (record) => {
        if (record.value !== null) onValue(await codec.read(record.value));
      },
    });
  }
}
