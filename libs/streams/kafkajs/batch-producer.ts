import kafkajs, { type Kafka, type TopicMessages } from 'kafkajs';
import type { BatchProducer, PublishRecord } from '../publisher.ts';

/**
 * An idempotent producer on kafkajs.
 *
 * kafkajs takes its sequence numbers back when a send fails. Where the broker has written that batch all the same, it
 * takes the next batch of that producer for a repetition: acknowledges it, and drops it. So only one send may be under
 * way at a time, and a producer whose send has failed must not be used again.
 */
export async function openBatchProducer(kafka: Kafka): Promise<BatchProducer> {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    // It repeats a batch under the same sequence numbers, so that it is not written twice.
    retry: { initialRetryTime: 20, maxRetryTime: 500, retries: 5 },
  });
  const close = (): Promise<void> => producer.disconnect().catch(() => {});
  try {
    await producer.connect();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async send(records) {
      await producer.sendBatch({ topicMessages: messagesByTopic(records), acks: -1 });
    },
  };
}

function messagesByTopic(records: readonly PublishRecord[]): TopicMessages[] {
  const byTopic = new Map<string, TopicMessages>();
  for (const { topic, partition, key, value, headers } of records) {
    let messages = byTopic.get(topic);
    if (messages === undefined) {
      messages = { topic, messages: [] };
      byTopic.set(topic, messages);
    }
    messages.messages.push({
      key,
      value,
      ...(partition === undefined ? {} : { partition }),
      ...(headers === undefined ? {} : { headers: { ...headers } }),
    });
  }
  return [...byTopic.values()];
}
