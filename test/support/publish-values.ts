import type { TopicValues } from '#records/types.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { quietLog } from './log.ts';
import type { PipelineConnection } from './pipeline.ts';
import { DEADLINE_MS } from './poll.ts';

/** Publishes values of a topic instead of the service that writes it. */
export async function publishValues<T extends TopicName>(
  { brokers, registryUrl: url, prefix }: PipelineConnection,
  topic: T,
  records: readonly { readonly key: string; readonly value: TopicValues[T] }[],
): Promise<void> {
  const codec = await new Registry({ url, prefix }).codec(topic);
  // On a busy broker, partitions of a new topic have no leader for a while.
  const options = { brokers, clientId: 'test', log: quietLog, timeoutMs: DEADLINE_MS };
  await withPublisher(options, (publisher) =>
    publisher.publish(
      records.map(({ key, value }) => ({ topic: topicName(prefix, topic), key, value: codec.encode(value) })),
    ),
  );
}
