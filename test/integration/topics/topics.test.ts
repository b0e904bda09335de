/** Topics on the real broker match `TOPICS`. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import { createTopics, topicSettings } from '#topics/admin.ts';
import { TopicAdminError, TopicMismatchError } from '#topics/errors.ts';
import { PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from '#topics/processors.ts';
import { isByEvent, TOPIC_NAMES, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';

/** Timeout for a busy broker. */
const WITHIN_MS = 30_000;

async function partitions({ brokers, prefix }: TestBackbone): Promise<Record<string, number>> {
  const topics = [...(await withTopicAdmin(brokers, WITHIN_MS, (admin) => admin.topics()))];
  return Object.fromEntries(
    topics.filter(([name]) => name.startsWith(prefix)).map(([name, topic]) => [name, topic.partitions]),
  );
}

const expected = (prefix: string, override?: number): Record<string, number> => {
  const countOf = (topic: TopicName): number =>
    override !== undefined && isByEvent(topic) ? override : TOPICS[topic].partitions;
  return Object.fromEntries([
    ...TOPIC_NAMES.map((topic) => [topicName(prefix, topic), countOf(topic)]),
    ...PROCESSOR_NAMES.map((processor) => [
      positionsTopicName(prefix, processor),
      countOf(PROCESSORS[processor].input),
    ]),
  ]);
};

describe('createTopics', () => {
  test('creates every missing topic with its settings in several processes at once, and leaves existing ones unchanged', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    const existing = topicName(prefix, 'match-incidents');
    await withTopicAdmin(brokers, WITHIN_MS, (admin) =>
      admin.createTopics([{ name: existing, partitions: 8, settings: { 'retention.ms': '12345' } }]),
    );
    await Promise.all(Array.from({ length: 4 }, () => createTopics({ brokers, prefix })));
    await createTopics({ brokers, prefix });
    expect(await partitions(connection)).toEqual(expected(prefix));
    const names = TOPIC_NAMES.map((topic) => topicName(prefix, topic));
    const { topics } = await describeCluster(brokers, names);
    const settingsOf = (name: string) => Object.fromEntries(topics.get(name)?.settings ?? []);
    expect(settingsOf(existing)).toMatchObject({ 'retention.ms': '12345', 'cleanup.policy': 'delete' });
    for (const topic of TOPIC_NAMES.filter((one) => one !== 'match-incidents'))
      expect(settingsOf(topicName(prefix, topic)), topic).toMatchObject(topicSettings(TOPICS[topic]));
    expect(settingsOf(topicName(prefix, 'match-state'))).toMatchObject({
      'cleanup.policy': 'compact',
      'delete.retention.ms': String(86_400_000),
    });
    expect(settingsOf(topicName(prefix, 'raw-messages'))).toMatchObject({
      'cleanup.policy': 'delete',
      'retention.ms': String(30 * 86_400_000),
    });
  });

  test('creates only the topics of a match with another number of partitions, and rejects existing ones with another, naming each', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    await createTopics({ brokers, prefix, partitions: 3 });
    expect(await partitions(connection)).toEqual(expected(prefix, 3));
    const failure = await createTopics({ brokers, prefix, partitions: 8 }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TopicMismatchError);
    expect(failure).toMatchObject({ code: 'TOPIC_MISMATCH' });
    expect((failure as Error).message).toContain(`${prefix}match-state has 3 partitions, not 8`);
    expect((failure as Error).message).toContain(`${prefix}match-incidents has 3 partitions, not 8`);
  });

  test('reports a refusal of the broker', async () => {
    const { brokers, prefix } = backbone();
    const failure = await createTopics({ brokers, prefix, replicationFactor: 3 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(TopicAdminError);
    expect((failure as TopicAdminError).message).toMatch(/replication.factor/i);
  });

  test('waits for a broker that its cluster considers dead for a moment', async () => {
    // Its heartbeats are too rare: it counts as dead for some seconds out of every five.
    const settings = { 'broker.session.timeout.ms': '1500', 'broker.heartbeat.interval.ms': '5000' };
    const kafka = await startOwnKafka({ settings });
    // Spread over such a period: the broker refuses only requests that arrive before it knows that it counts as dead.
    await Promise.all(
      Array.from({ length: 14 }, async (_, n) => {
        await delay(n * 400);
        await createTopics({ brokers: kafka.brokers, prefix: `out-${n}.`, partitions: 1 });
      }),
    );
  });
});
