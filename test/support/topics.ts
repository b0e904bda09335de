import type { ITopicConfig } from 'kafkajs';
import type { Brokers } from '#streams/client/brokers.ts';
import { isPassing } from '#streams/client/kafkajs/topic-admin.ts';
import { listOffsets } from '#streams/client/platformatic/offsets.ts';
import { topicIds } from '#streams/client/topic-ids.ts';
import { createKafka } from './kafkajs.ts';
import { untilTrue } from './poll.ts';

/**
 * Makes topics and waits until each of their partitions has a leader that answers. kafkajs's own wait for leaders
 * fails where the broker that it asks has not heard of the topic yet.
 */
export async function makeTopics(brokers: Brokers, topics: readonly ITopicConfig[]): Promise<void> {
  const admin = createKafka({ brokers, clientId: 'test-topics' }).admin();
  await admin.connect();
  try {
    await untilTrue('the topics are made', () =>
      admin.createTopics({ topics: [...topics], waitForLeaders: false }).then(
        () => true,
        (error: unknown) => {
          if (isPassing(error)) return false;
          throw error;
        },
      ),
    );
  } finally {
    await admin.disconnect();
  }
  for (const { topic, numPartitions } of topics) await leadersAnswer(brokers, topic, numPartitions);
}

/**
 * Waits until the leader of every partition answers. A broker that makes many topics at once shows a leader long before
 * it leads, for longer than kafkajs tries.
 */
export async function leadersAnswer(brokers: Brokers, topic: string, partitions?: number): Promise<void> {
  await untilTrue(`${topic} has its leaders`, async () => {
    const ends = await listOffsets({ brokers, clientId: 'test-topics', topic }, 'end').catch(() => null);
    return ends !== null && ends.size === (partitions ?? ends.size);
  });
}

/** Deletes a topic and creates it again, until it is another one: a busy broker may still have the old one as it is created. */
export async function recreateTopic(brokers: Brokers, config: ITopicConfig): Promise<void> {
  const { topic } = config;
  const idOf = async () => (await topicIds(brokers, [topic])).get(topic);
  const before = await idOf();
  const admin = createKafka({ brokers, clientId: 'test-topics' }).admin();
  await admin.connect();
  try {
    await untilTrue(`${topic} is another topic`, async () => {
      if ((await idOf()) === before)
        await admin.deleteTopics({ topics: [topic], timeout: 25_000 }).catch(() => {});
      await makeTopics(brokers, [config]);
      return (await idOf()) !== before;
    });
  } finally {
    await admin.disconnect();
  }
}
