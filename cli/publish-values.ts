import { withPublisher } from '#streams/publish/publisher.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { commandLog, type OpenCluster } from './cluster.ts';

/**
 * Publishes values to a topic, and waits until they are acknowledged. `client` is the command for its log and client id;
 * `timeoutMs` limits connecting and each publish, default 30,000. Rejects with `PublishError`.
 */
export async function publishValues<T extends TopicName>(
  { brokers, prefix, registry }: OpenCluster,
  topic: T,
  entries: readonly { readonly key: string; readonly value: TopicValues[T] }[],
  { client, timeoutMs }: { readonly client: string; readonly timeoutMs?: number },
): Promise<void> {
  const codec = await registry.codec(topic);
  const name = topicName(prefix, topic);
  const records = entries.map(({ key, value }) => ({ topic: name, key, value: codec.encode(value) }));
  const limits = timeoutMs === undefined ? {} : { timeoutMs, openTimeoutMs: timeoutMs };
  const options = { brokers, clientId: `touchline-${client}`, log: commandLog(client), ...limits };
  await withPublisher(options, (publisher) => publisher.publish(records));
}
