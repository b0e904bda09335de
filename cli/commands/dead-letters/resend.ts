/** Sends the bytes of a dead letter again, the way they arrived. */
import { readDeadLetter } from '#ingestion/delivery.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { DeadLetter } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';

/** Outcome for a letter: the number of records sent, and why it stays open; null when it is done. */
export type Resent = { readonly sent: number; readonly problem: string | null };

/** The service that reads the provider's feed; dead letters of all others came by webhook. */
const FEED_SERVICE = 'feed-poller';

/** Returns a function that sends one letter again and marks it as done once all of it is sent. */
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
      // Received when it was rejected: sending it again does not make it newer.
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
