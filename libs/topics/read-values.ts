import { readTopic } from '#cluster/read-topic.ts';
import type { Brokers } from '#security/brokers.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import type { TopicValues } from './generated/types.ts';
import type { Registry } from './registry.ts';
import type { RegistryUrl } from './registry-address.ts';
import { type TopicName, topicName } from './topics.ts';

/** The brokers, prefix and registry of a system's topics. */
export type TopicCluster = {
  readonly brokers: Brokers;
  readonly registryUrl: RegistryUrl;
  readonly prefix: string;
};

/** The brokers, prefix and open registry that topics are read with. */
export type TopicSource = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
};

/** Receives a decoded record. `value` is null for a deleted key; `key` is '' for a record without a key. */
type OnValue<T extends TopicName> = (
  key: string,
  value: TopicValues[T] | null,
  record: ReadRecord,
) => void | Promise<void>;

/**
 * Reads a topic up to its current end, each partition in order. Stops early when `signal` is aborted. Rejects with
 * `StreamError`, `DecodeError`, or an error of `onValue`.
 */
export function readValues<T extends TopicName>(
  topic: T,
  { brokers, prefix, registry }: TopicSource,
  onValue: OnValue<T>,
  signal?: AbortSignal,
): Promise<void> {
  const decoder = registry.decoder(topic);
  return readTopic({
    brokers,
    topic: topicName(prefix, topic),
    untilEnd: true,
    signal,
    async onRecord(record) {
      const { key, value } = record;
      await onValue(key?.toString() ?? '', value === null ? null : await decoder.read(value), record);
    },
  });
}

/** Returns the latest value of each key of a topic, without deleted keys. Reads and rejects as `readValues`. */
export async function readLatest<T extends TopicName>(
  topic: T,
  source: TopicSource,
  signal?: AbortSignal,
): Promise<Map<string, TopicValues[T]>> {
  const latest = new Map<string, TopicValues[T]>();
  const apply: OnValue<T> = (key, value) => {
    if (value === null) latest.delete(key);
    else latest.set(key, value);
  };
  await readValues(topic, source, apply, signal);
  return latest;
}
