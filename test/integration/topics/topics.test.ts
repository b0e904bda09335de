/** Topics on the real broker match `TOPICS`. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeCluster } from '#cluster/describe.ts';
import { withTopicAdmin } from '#cluster/topic-admin.ts';
import type { Brokers } from '#security/brokers.ts';
import { describeConfigsV4 } from '#streams/client/platformatic/library.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { createTopics, topicSettings } from '#topics/admin.ts';
import { TopicAdminError } from '#topics/errors.ts';
import { PROCESSOR_NAMES, PROCESSORS, positionsTopicName } from '#topics/processors.ts';
import { topicIdsName } from '#topics/topic-ids.ts';
import { isByEvent, TOPIC_NAMES, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { IN_FULL } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import { startOwnKafka } from '../../support/own-kafka.ts';
import { untilTrue } from '../../support/poll.ts';
import { makeTopics, requireSettingsAt } from '../../support/topics.ts';

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
    [topicIdsName(prefix), 1],
    ...PROCESSOR_NAMES.map((processor) => [
      positionsTopicName(prefix, processor),
      countOf(PROCESSORS[processor].input),
    ]),
  ]);
};

async function settings({ brokers, prefix }: TestBackbone) {
  const names = TOPIC_NAMES.map((topic) => topicName(prefix, topic));
  const { topics } = await describeCluster(brokers, names);
  return (name: string) => Object.fromEntries(topics.get(name)?.settings ?? []);
}

/** Publishes a record to the first partition. */
async function publish(brokers: Brokers, topic: string): Promise<void> {
  await withPublisher({ brokers, clientId: 'test-topics', log: quietLog }, (publisher) =>
    publisher.publish([{ topic, partition: 0, key: 'k', value: Buffer.from('v') }]),
  );
}

/** Deletes the first record of the first partition, as retention would. */
async function deleteFirst(brokers: Brokers, topic: string): Promise<void> {
  await withAdmin(brokers, (admin) =>
    admin.deleteRecords({ topics: [{ name: topic, partitions: [{ partition: 0, offset: 1n }] }] }),
  );
}

describe('createTopics', () => {
  test('creates every missing topic with its settings in several processes at once, and keeps what an operator chose', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    const existing = topicName(prefix, 'match-transitions');
    await withTopicAdmin(brokers, WITHIN_MS, (admin) =>
      admin.createTopics([{ name: existing, partitions: 8, settings: { 'retention.ms': '12345' } }]),
    );
    await Promise.all(Array.from({ length: 4 }, () => createTopics({ brokers, prefix })));
    expect(await createTopics({ brokers, prefix })).toEqual({ warnings: [], repaired: [] });
    expect(await partitions(connection)).toEqual(expected(prefix));
    const settingsOf = await settings(connection);
    expect(settingsOf(existing)).toMatchObject({ 'retention.ms': '12345', 'cleanup.policy': 'delete' });
    for (const topic of TOPIC_NAMES.filter((one) => one !== 'match-transitions'))
      expect(settingsOf(topicName(prefix, topic)), topic).toMatchObject(topicSettings(TOPICS[topic]));
  });

  test('repairs topics that a reader had the broker create, and refuses those that may have lost records', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    const [state, transitions, orders] = (
      ['match-state', 'match-transitions', 'operator-orders'] as const
    ).map((topic) => topicName(prefix, topic)) as [string, string, string];
    await makeTopics(brokers, [
      { name: state, partitions: 1 },
      { name: transitions, partitions: 9 },
      { name: orders, partitions: 1 },
    ]);
    const { repaired } = await createTopics({ brokers, prefix });
    expect(repaired).toEqual(
      expect.arrayContaining([
        `${state} has 1 partitions, not 8`,
        `${state} has cleanup.policy=delete, not compact`,
        `${transitions} has 9 partitions, not 8`,
        `${orders} has retention.ms=604800000, not 34560000000`,
      ]),
    );
    expect(await partitions(connection)).toEqual(expected(prefix));
    const { 'max.message.bytes': _, ...compacted } = topicSettings(TOPICS['match-state']);
    expect((await settings(connection))(state)).toMatchObject(compacted);

    // Records, of which the policy has removed none yet.
    await publish(brokers, state);
    const shows = (policy: string, topic = state) =>
      untilTrue(
        `the broker shows ${policy}`,
        async () => (await settings(connection))(topic)['cleanup.policy'] === policy,
      );
    const setPolicy = async (policy: string, topic = state) => {
      await withTopicAdmin(brokers, WITHIN_MS, (admin) =>
        admin.alterSettings(new Map([[topic, { 'cleanup.policy': policy }]])),
      );
      await shows(policy, topic);
    };
    await setPolicy('delete');
    await expect(requireSettingsAt(brokers, prefix, 'match-processor')).rejects.toMatchObject({
      code: 'TOPIC_MISMATCH',
      message: expect.stringMatching(
        /match-state has cleanup\.policy=delete, not compact; run npx touchline topics, which repairs/,
      ),
    });
    expect((await createTopics({ brokers, prefix })).repaired).toEqual([
      `${state} has cleanup.policy=delete, not compact`,
    ]);
    await requireSettingsAt(brokers, prefix, 'match-processor');
    const results = topicName(prefix, 'match-results');
    await setPolicy('delete');
    await setPolicy('delete', results);
    await deleteFirst(brokers, state);
    await expect(createTopics({ brokers, prefix })).rejects.toMatchObject({
      code: 'TOPIC_MISMATCH',
      message: expect.stringMatching(/its first records were deleted: kafka-configs\.sh .*=compact keeps/),
    });
    // What can be repaired is.
    await shows('compact', results);
    await setPolicy('compact');
    await expect(createTopics({ brokers, prefix, partitions: 9 })).rejects.toMatchObject({
      code: 'TOPIC_MISMATCH',
      message: expect.stringContaining(`${state} has 8 partitions, not 9`),
    });
    expect(await partitions(connection)).toEqual(expected(prefix));
  });

  test('gives others the partitions of a topic that a reader had the broker create, once it has records', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    const state = topicName(prefix, 'match-state');
    await makeTopics(brokers, [{ name: state, partitions: 3 }]);
    await publish(brokers, state);
    await createTopics({ brokers, prefix, accept: 'all' });
    expect(await partitions(connection)).toEqual(expected(prefix, 3));
  });

  test('takes no late answer for a missing right', async () => {
    const { brokers, prefix } = backbone();
    await createTopics({ brokers, prefix });
    const asked = vi.spyOn(describeConfigsV4.api, 'async').mockRejectedValue(new Error('no answer in time'));
    onTestFinished(() => asked.mockRestore());
    await requireSettingsAt(brokers, prefix, 'match-processor');
    expect(asked).toHaveBeenCalled();
  });

  test('creates only the topics of a match with another number of partitions', async () => {
    const connection = backbone();
    const { brokers, prefix } = connection;
    await createTopics({ brokers, prefix, partitions: 3 });
    expect(await partitions(connection)).toEqual(expected(prefix, 3));
  });

  test('reports a refusal of the broker', async () => {
    const { brokers, prefix } = backbone();
    const failure = await createTopics({ brokers, prefix, replicationFactor: 3 }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(TopicAdminError);
    expect((failure as TopicAdminError).message).toMatch(/replication.factor/i);
  });
});

// A broker of its own, for half a minute; libs/cluster/topic-admin.ts repeats the same requests on one that starts.
describe.each(IN_FULL)('%s', () => {
  test('waits for a broker that its cluster considers dead for a moment', async () => {
    // Its heartbeats are too rare: it counts as dead for some seconds out of every five.
    const settings = { 'broker.session.timeout.ms': '1500', 'broker.heartbeat.interval.ms': '5000' };
    const kafka = await startOwnKafka({ settings });
    // Spread over such a period: the broker refuses only requests that arrive before it knows that it counts as dead.
    await Promise.all(
      Array.from({ length: 7 }, async (_, n) => {
        await delay(n * 800);
        await createTopics({ brokers: kafka.brokers, prefix: `out-${n}.`, partitions: 1 });
      }),
    );
  });
});
