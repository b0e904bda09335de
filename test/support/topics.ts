import { withConnections } from '#cluster/access.ts';
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { isTransientCreateError, type NewTopic, withTopicAdmin } from '#cluster/topic-admin.ts';
import type { Brokers } from '#security/brokers.ts';
import { rightsOf, type ServiceName } from '#topics/acls.ts';
import { topicSettings, wantedTopics } from '#topics/admin.ts';
import { requireSettings } from '#topics/required-topics.ts';
import { untilTrue } from './poll.ts';

const WITHIN_MS = 60_000;

type TestTopic = Omit<NewTopic, 'settings'> & Partial<NewTopic>;

/** Creates topics and waits until the leader of each partition answers. */
export async function makeTopics(brokers: Brokers, topics: readonly TestTopic[]): Promise<void> {
  const wanted = topics.map((topic) => ({ settings: {}, ...topic }));
  await withTopicAdmin(brokers, WITHIN_MS, (admin) =>
    untilTrue('the topics are made', () =>
      admin.createTopics(wanted).then(
        () => true,
        (error: unknown) => {
          if (isTransientCreateError(error)) return false;
          throw error;
        },
      ),
    ),
  );
  for (const { name, partitions } of topics) await leadersAnswer(brokers, name, partitions);
}

/** Where topics of Touchline are made; those of a match get that number of partitions. */
type TopicPlace = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly partitions: number;
};

/**
 * Creates the topics that services read or write, with the settings of production. Orders of `touchline` are not recorded then. All
 * topics cost a broker 0.2 s of processor, those of a receiver a quarter of that.
 */
export function makeTopicsOf(services: readonly ServiceName[], place: TopicPlace): Promise<void> {
  return makeOnly(
    new Set(services.flatMap((of) => rightsOf(place.prefix, of).map(({ name }) => name))),
    place,
  );
}

/** Creates those topics of Touchline that have one of these names, prefix included. */
export function makeOnly(names: ReadonlySet<string>, { brokers, ...place }: TopicPlace): Promise<void> {
  const wanted = wantedTopics(place).filter(({ name }) => names.has(name));
  return makeTopics(
    brokers,
    wanted.map(({ name, partitions, spec }) => ({ name, partitions, settings: topicSettings(spec) })),
  );
}

/**
 * Waits until the leader of every partition answers. A broker that creates many topics at once reports a leader long
 * before that leader answers.
 */
export async function leadersAnswer(brokers: Brokers, topic: string, partitions?: number): Promise<void> {
  await untilTrue(`${topic} has its leaders`, async () => {
    const ends = await topicBounds({ brokers, clientId: 'test-topics' }, [topic]).catch(() => null);
    return ends !== null && ends.length === (partitions ?? ends.length);
  });
}

/** Deletes a topic and creates it again, until its id has changed: a busy broker may still have the old topic. */
export async function recreateTopic(brokers: Brokers, config: TestTopic): Promise<void> {
  const { name: topic } = config;
  const idOf = async () => (await topicIds(brokers, [topic])).get(topic);
  const before = await idOf();
  await untilTrue(`${topic} is another topic`, async () => {
    if ((await idOf()) === before)
      await withTopicAdmin(brokers, WITHIN_MS, (admin) => admin.deleteTopics([topic])).catch(() => {});
    await makeTopics(brokers, [config]);
    return (await idOf()) !== before;
  });
}

/** Checks the topics of a service as it does when it starts. Rejects as `requireSettings`. */
export function requireSettingsAt(brokers: Brokers, prefix: string, service: ServiceName): Promise<void> {
  return withConnections(brokers, 'test-topics', (connections) =>
    requireSettings(connections, prefix, service),
  );
}
