/** Topics on the real broker match `TOPICS`. */
import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTopics, topicSettings } from '#topics/admin.ts';
import { TopicAdminError, TopicMismatchError } from '#topics/errors.ts';
import { PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from '#topics/processors.ts';
import { isByEvent, TOPIC_NAMES, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';

let admin: Admin;
beforeAll(async () => {
  const { brokers } = backbone();
  admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
});
afterAll(() => admin.disconnect());

async function partitions(prefix: string): Promise<Record<string, number>> {
  const { topics } = await admin.fetchTopicMetadata();
  return Object.fromEntries(
    topics
      .filter(({ name }) => name.startsWith(prefix))
      .map((topic) => [topic.name, topic.partitions.length]),
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
  test('creates every topic of `TOPICS`, with its settings', async () => {
    const { brokers, prefix } = backbone();
    await createTopics({ brokers, prefix });
    expect(await partitions(prefix)).toEqual(expected(prefix));
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: TOPIC_NAMES.map((topic) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topicName(prefix, topic),
      })),
    });
    for (const topic of TOPIC_NAMES) {
      const resource = resources.find(({ resourceName }) => resourceName === topicName(prefix, topic));
      const settings = Object.fromEntries(
        resource?.configEntries.map(({ configName, configValue }) => [configName, configValue]) ?? [],
      );
      expect(settings).toMatchObject(topicSettings(TOPICS[topic]));
      if (topic === 'match-state') {
        expect(settings).toMatchObject({
          'cleanup.policy': 'compact',
          'delete.retention.ms': String(86_400_000),
        });
      }
      if (topic === 'raw-messages') {
        expect(settings).toMatchObject({
          'cleanup.policy': 'delete',
          'retention.ms': String(30 * 86_400_000),
        });
      }
    }
  });

  test('creates missing topics and leaves existing ones unchanged', async () => {
    const { brokers, prefix } = backbone();
    const topic = topicName(prefix, 'match-state');
    await admin.createTopics({
      waitForLeaders: false,
      topics: [{ topic, numPartitions: 8, configEntries: [{ name: 'retention.ms', value: '12345' }] }],
    });
    await createTopics({ brokers, prefix });
    await createTopics({ brokers, prefix });
    expect(await partitions(prefix)).toEqual(expected(prefix));
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: ['retention.ms'] }],
    });
    expect(resources[0]?.configEntries[0]?.configValue).toBe('12345');
  });

  test('may run in several processes at once', async () => {
    const { brokers, prefix } = backbone();
    await Promise.all(Array.from({ length: 4 }, () => createTopics({ brokers, prefix })));
    expect(await partitions(prefix)).toEqual(expected(prefix));
  });

  test('creates only the topics of a match with another number of partitions', async () => {
    const { brokers, prefix } = backbone();
    await createTopics({ brokers, prefix, partitions: 3 });
    expect(await partitions(prefix)).toEqual(expected(prefix, 3));
  });

  test('rejects topics with another number of partitions, naming each', async () => {
    const { brokers, prefix } = backbone();
    await createTopics({ brokers, prefix, partitions: 3 });
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
