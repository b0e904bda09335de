import type { TopicValues } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { type FollowedBatch, type FollowOptions, follow, type ReadRecord } from '#streams/read/follow.ts';
import { readable, reportUnreadable, type UnreadableRecord } from './readable.ts';
import type { Registry } from './registry.ts';
import type { RegistryUrl } from './registry-http.ts';
import { isByEvent, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';

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

/** A decoded record. `value` is null for a deleted key; `key` is '' for a record without a key. */
export type ValueRecord<T extends TopicName> = {
  readonly record: ReadRecord;
  readonly key: string;
  readonly value: TopicValues[T] | null;
};

/** Decoded records of one partition of a topic, in order, without those that nobody can read. */
export type ValueBatch<T extends TopicName> = {
  [K in T]: Omit<FollowedBatch, 'records'> & { readonly name: K; readonly values: readonly ValueRecord<K>[] };
}[T];

export type FollowValuesOptions<T extends TopicName> = Omit<
  FollowOptions,
  'brokers' | 'topics' | 'onBatch' | 'onUnreadableBatch'
> & {
  /** Selects the records to decode. Default: all. */
  readonly isWanted?: (record: ReadRecord) => boolean;
  /** Receives one batch at a time. An error it throws ends the reading. */
  readonly onValues: (batch: ValueBatch<T>) => void | Promise<void>;
  /** Receives the records of a batch that nobody can read, before its values. Default: `reportUnreadable`. */
  readonly onUnreadable?: (record: UnreadableRecord) => void;
};

/**
 * Reads the values of topics as `follow` reads their records. A record that nobody can read is left out and reported
 * (`readable.ts`). Rejects as `follow`, and with `RegistryUnavailableError`.
 */
export function followValues<T extends TopicName>(
  topics: readonly T[],
  { brokers, prefix, registry }: TopicSource,
  { onValues, onUnreadable, isWanted = () => true, ...options }: FollowValuesOptions<T>,
): Promise<void> {
  const known = new Map(
    topics.map((name) => [
      topicName(prefix, name),
      { name, spec: TOPICS[name] as TopicSpec, decoder: registry.decoder(name) },
    ]),
  );
  return follow({
    ...options,
    brokers,
    topics: [...known.keys()],
    onUnreadableBatch: onUnreadable ?? reportUnreadable,
    async onBatch({ records, ...batch }) {
      const topic = known.get(batch.topic);
      if (topic === undefined) return;
      const found = await readable<TopicValues[T], ReadRecord>(
        topic.decoder,
        batch,
        records.filter(isWanted),
        onUnreadable,
        { keyField: topic.spec.keyField, partitions: isByEvent(topic.name) ? batch.partitions : undefined },
      );
      const values = found.map((one) => ({ ...one, key: one.record.key?.toString() ?? '' }));
      // The topic's own decoder returns the topic's type of value.
      await onValues({ ...batch, name: topic.name, values } as unknown as ValueBatch<T>);
    },
  });
}

/** Receives a decoded record. `value` is null for a deleted key; `key` is '' for a record without a key. */
type OnValue<T extends TopicName> = (
  key: string,
  value: TopicValues[T] | null,
  record: ReadRecord,
) => void | Promise<void>;

/**
 * Reads the values of a topic up to its current end, record by record, each partition in order. Stops early when `signal` is
 * aborted. Rejects as `followValues`, or with an error of `onValue`.
 */
export function readValues<T extends TopicName>(
  topic: T,
  source: TopicSource,
  onValue: OnValue<T>,
  options: Pick<FollowOptions, 'from' | 'signal'> &
    Pick<FollowValuesOptions<T>, 'isWanted' | 'onUnreadable'> = {},
): Promise<void> {
  return followValues([topic], source, {
    ...options,
    untilEnd: true,
    async onValues({ values }) {
      for (const { key, value, record } of values) {
        if (options.signal?.aborted) return;
        await onValue(key, value, record);
      }
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
  await readValues(topic, source, apply, { signal });
  return latest;
}
