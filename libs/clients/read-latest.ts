import type { Brokers } from '#streams/client/brokers.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import type { Registry } from '#topics/registry.ts';
import { type TopicName, type TopicValues, topicName } from '#topics/topics.ts';

/** Where topics are. */
export type Place = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
};

/**
 * Reads a compacted topic up to its current end; returns the last record of each key. Rejects with `StreamError`; stops
 * early when `signal` is aborted.
 */
export async function readLatest<T extends TopicName>(
  topic: T,
  place: Place,
  signal: AbortSignal,
): Promise<Map<string, TopicValues[T]>> {
  const { brokers, prefix, registry } = place;
  const decoder = registry.decoder(topic);
  const latest = new Map<string, TopicValues[T]>();
  await readTopic({
    brokers,
    topic: topicName(prefix, topic),
    fromBeginning: true,
    untilEnd: true,
    signal,
    async onRecord({ key, value }) {
      if (key === null) return;
      if (value === null) latest.delete(key.toString());
      else latest.set(key.toString(), await decoder.decode(value));
    },
  });
  return latest;
}
