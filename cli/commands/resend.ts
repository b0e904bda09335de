/** Sends a dead letter's bytes the way they came once more. */
import { readDeadLetter } from '#ingestion/delivery.ts';
import type { Publisher, PublishRecord } from '#streams/publish/publisher.ts';
import type { DeadLetter } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';

/** What became of a letter: how many records were sent, and why it is not done with, null where it is. */
export type Resent = { readonly sent: number; readonly problem: string | null };

/** The service that reads the provider's feed; what any other gave up came by webhook. */
const FEED_SERVICE = 'feed-poller';

/** A function that sends one letter again and, where nothing of it is left over, marks it as done. */
export async function openResender(to: {
  readonly publisher: Publisher;
  readonly registry: Registry;
  readonly prefix: string;
}): Promise<(letter: DeadLetter) => Promise<Resent>> {
  const { publisher, registry, prefix } = to;
  const normalized = await registry.codec('normalized-messages');

  const fromHttp = (letter: DeadLetter): { records: PublishRecord[]; problem: string | null } => {
    const { normalized: messages, faults } = readDeadLetter(letter, {
      origin: letter.service === FEED_SERVICE ? 'feed' : 'webhook',
      service: letter.service,
      // It was received when it was given up: sending it again does not make it newer.
      receivedAt: letter.failed_at,
    });
    const topic = topicName(prefix, 'normalized-messages');
    return {
      records: messages.map((message) => ({
        topic,
        key: String(message.event_id),
        value: normalized.encode(message),
      })),
      problem: faults.length === 0 ? null : `${faults[0]?.code}: ${faults[0]?.reason}`,
    };
  };

  const fromTopic = (letter: DeadLetter, topic: TopicName): { records: PublishRecord[]; problem: null } => {
    const { partition, key, value } = letter;
    const record = { topic: topicName(prefix, topic), key, value };
    return { records: [partition === null ? record : { ...record, partition }], problem: null };
  };

  return async (letter) => {
    if (letter.topic !== null && !Object.hasOwn(TOPICS, letter.topic)) {
      return { sent: 0, problem: `there is no topic ${letter.topic}` };
    }
    const { records, problem } =
      letter.topic === null ? fromHttp(letter) : fromTopic(letter, letter.topic as TopicName);
    await publisher.publish(records);
    if (problem === null) {
      await publisher.publish([{ topic: topicName(prefix, 'dead-letters'), key: letter.id, value: null }]);
    }
    return { sent: records.length, problem };
  };
}
