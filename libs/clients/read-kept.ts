import { readTopic } from '#streams/read/read-topic.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, type TopicValues, topicName } from '#topics/topics.ts';

/** Where topics are. */
export type Place = {
  readonly brokers: readonly string[];
  readonly prefix: string;
  readonly registry: Registry;
};

/**
 * The last record of each key of a compacted topic, of everything that is there now. Rejects with `StreamError`; ends
 * early where `signal` is aborted.
 */
export async function readKept<T extends TopicName>(
  topic: T,
  place: Place,
  signal: AbortSignal,
): Promise<Map<string, TopicValues[T]>> {
  const { brokers, prefix, registry } = place;
  const decoder = registry.decoder(topic);
  const kept = new Map<string, TopicValues[T]>();
  await readTopic({
    brokers,
    topic: topicName(prefix, topic),
    fromBeginning: true,
    untilEnd: true,
    signal,
    async onRecord({ key, value }) {
      if (key === null) return;
      if (value === null) kept.delete(key.toString());
      else kept.set(key.toString(), await decoder.decode(value));
    },
  });
  return kept;
}
