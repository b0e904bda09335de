/** The reader of topics outside tasks: decoded records of all partitions, of one fetch together. */
import type { TopicValues } from '#records/types.ts';
import type { Brokers } from '#security/brokers.ts';
import { partitionOfKey, type TopicPartition } from '#streams/client/port.ts';
import {
  type FetchedPartition,
  followLogs,
  type LogFollowOptions,
  type ReadRecord,
} from '#streams/read/follow.ts';
import type { Decoder } from './codec.ts';
import { DecodeError } from './errors.ts';
import type { Registry } from './registry.ts';
import type { RegistryUrl } from './registry-http.ts';
import { isByEvent, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';
import { reportUnreadable, type UnreadableRecord } from './unreadable.ts';

/** The brokers, prefix and registry of a system's topics. */
export type TopicCluster = {
  readonly brokers: Brokers;
  readonly registryUrl: RegistryUrl;
  readonly prefix: string;
};

/** The brokers, prefix and open registry that topics are read with. */
export type OpenTopics = {
  readonly brokers: Brokers;
  readonly prefix: string;
  readonly registry: Registry;
};

/** A decoded record. `value` is null for a deleted key; `key` is '' for a record without a key; `bytes` is the value as written. */
export type TopicRecord<T extends TopicName = TopicName> = {
  [K in T]: Omit<ReadRecord, 'key' | 'value'> & {
    readonly topic: K;
    readonly key: string;
    readonly value: TopicValues[K] | null;
    readonly bytes: Buffer | null;
  };
}[T];

/** What one fetch found. */
export type TopicBatch<T extends TopicName = TopicName> = {
  /** Each partition's in order, without those that nobody can read. */
  readonly records: readonly TopicRecord<T>[];
  /** The partitions with records, readable or not, and how far each is read. */
  readonly partitions: readonly (Omit<FetchedPartition, 'records'> & { readonly name: T })[];
};

export type FollowOptions<T extends TopicName> = Omit<
  LogFollowOptions,
  'brokers' | 'topics' | 'onBatch' | 'onUnreadableBatch'
> & {
  /** Selects the records to decode. Default: all. */
  readonly isWanted?: (record: ReadRecord) => boolean;
  /** Receives one batch at a time. An error it throws ends the reading. */
  readonly onBatch?: (batch: TopicBatch<T>) => void | Promise<void>;
  /** Receives one record at a time, in place of `onBatch`; none once `signal` is aborted. What it returns is awaited. */
  readonly onRecord?: (record: TopicRecord<T>) => unknown;
  /** Receives the records of a batch that nobody can read, before the others. Default: `reportUnreadable`. */
  readonly onUnreadable?: (record: UnreadableRecord) => void;
};

/** Reads the values of topics, as `followLogs` their bytes. Leaves out and reports what nobody can read. */
export function follow<T extends TopicName>(
  topics: readonly T[],
  { brokers, prefix, registry }: OpenTopics,
  { onBatch, onRecord, onUnreadable, isWanted = () => true, ...options }: FollowOptions<T>,
): Promise<void> {
  const known = new Map(
    topics.map((name) => [
      topicName(prefix, name),
      { name, spec: TOPICS[name] as TopicSpec, decoder: registry.decoder(name) },
    ]),
  );
  type Known = NonNullable<ReturnType<typeof known.get>>;
  const decode = async ({ records, ...of }: FetchedPartition): Promise<TopicRecord<T>[]> => {
    const { name, spec, decoder } = known.get(of.topic) as Known;
    const place = { keyField: spec.keyField, partitions: isByEvent(name) ? of.partitions : undefined };
    const found = await decodeRecords(decoder, of, records.filter(isWanted), onUnreadable, place);
    // The topic's own decoder returns the topic's type of value.
    return found.map(({ record, value }) => ({
      ...record,
      topic: name,
      key: record.key?.toString() ?? '',
      value,
      bytes: record.value,
    })) as unknown as TopicRecord<T>[];
  };
  return followLogs({
    ...options,
    brokers,
    topics: [...known.keys()],
    onUnreadableBatch: onUnreadable ?? reportUnreadable,
    async onBatch(batch) {
      const found: TopicRecord<T>[][] = [];
      // One after the other: the registry may have to be asked for schemas.
      for (const one of batch) found.push(await decode(one));
      const records = found.flat();
      const partitions = batch.map(({ records: _, ...of }) => ({
        ...of,
        name: (known.get(of.topic) as Known).name,
      }));
      await onBatch?.({ records, partitions });
      if (onRecord === undefined) return;
      for (const record of records) if (!options.signal?.aborted) await onRecord(record);
    },
  });
}

type Encoded = { readonly offset: number; readonly key: Buffer | null; readonly value: Buffer | null };

/** A record with its decoded value, which is null for a deleted key. */
type DecodedRecord<T, R> = { readonly record: R; readonly value: T | null };

type RecordPlace = {
  /** The field of the value that must equal the key. */
  readonly keyField?: string | undefined;
  /** Of a topic by event: its number of partitions, of which each event has one. */
  readonly partitions?: number | undefined;
};

/** Decodes a partition's records in order. Passes those that cannot be decoded, or are not in their `place`, to `report`. */
export async function decodeRecords<T extends object, R extends Encoded>(
  decoder: Pick<Decoder<T>, 'prepare' | 'decode'>,
  of: TopicPartition,
  records: readonly R[],
  report: (record: UnreadableRecord) => void = reportUnreadable,
  { keyField, partitions }: RecordPlace = {},
): Promise<DecodedRecord<T, R>[]> {
  await decoder.prepare(records);
  return records.flatMap((record) => {
    try {
      const value = record.value === null ? null : decoder.decode(record.value);
      if (value !== null && keyField !== undefined) requireKey(of.topic, record.key, value, keyField);
      if (partitions !== undefined) requirePartition(of, record.key, value, partitions);
      return { record, value };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const key = record.key?.toString() ?? null;
      report({ topic: of.topic, partition: of.partition, offset: record.offset, key, error });
      return [];
    }
  });
}

/** Throws `DecodeError` where the key of a record is not this field of its value: the log keeps the last record of a key, not of an id. */
function requireKey(topic: string, key: Buffer | null, value: object, field: string): void {
  const own = String((value as Readonly<Record<string, unknown>>)[field]);
  if (key?.toString() !== own) throw new DecodeError(topic, `its key is not the ${field} of its value`);
}

/** Throws `DecodeError` where a record of an event is in another partition than its owner writes to: another writer put it there. */
function requirePartition(
  of: TopicPartition,
  key: Buffer | null,
  value: object | null,
  partitions: number,
): void {
  const { event_id: id } = (value ?? {}) as { readonly event_id?: number };
  const event = id === undefined ? key?.toString().split('/', 1)[0] : String(id);
  if (event === undefined || partitionOfKey(event, partitions) === of.partition) return;
  // Without the event: processes log each cause once.
  throw new DecodeError(of.topic, `it is in partition ${of.partition}, its event belongs to another one`);
}

/** Returns the latest value of each key of a topic, without deleted keys. Reads up to its current end, and rejects as `follow`. */
export async function readLatest<T extends TopicName>(
  topic: T,
  source: OpenTopics,
  signal?: AbortSignal,
): Promise<Map<string, TopicValues[T]>> {
  const latest = new Map<string, TopicValues[T]>();
  await follow([topic], source, {
    untilEnd: true,
    signal,
    onRecord({ key, value }) {
      if (value === null) latest.delete(key);
      else latest.set(key, value);
    },
  });
  return latest;
}

/** The cluster whose topics are followed, and whom to tell that following ended. */
export type FollowContext = OpenTopics & {
  /** Called with the error that ended the following after the start: later records are missed. */
  readonly onFailure: (error: unknown) => void;
};

/** Topics that are followed in the background. */
export type BackgroundReading = { close(): Promise<void> };

/** Follows topics in the background. Resolves once all that existed was passed to `onRecord`; rejects as `follow` before that. */
export async function followInBackground<T extends TopicName>(
  topics: readonly T[],
  { onFailure, ...source }: FollowContext,
  { signal, onUpToDate, ...options }: FollowOptions<T>,
): Promise<BackgroundReading> {
  const closing = new AbortController();
  const caughtUp = Promise.withResolvers<void>();
  const upToDate = Promise.withResolvers<void>();
  const unread = new Set(topics.map((topic) => topicName(source.prefix, topic)));
  if (onUpToDate === undefined || unread.size === 0) upToDate.resolve();
  let hasStarted = false;
  const ended = follow(topics, source, {
    ...options,
    signal: signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
    onCaughtUp: caughtUp.resolve,
    ...(onUpToDate !== undefined && {
      onUpToDate(of, at) {
        onUpToDate(of, at);
        unread.delete(of.topic);
        if (unread.size === 0) upToDate.resolve();
      },
    }),
  });
  const started = Promise.all([caughtUp.promise, upToDate.promise]);
  ended.catch((error: unknown) => hasStarted && onFailure(error));
  await Promise.race([started, ended]);
  hasStarted = true;
  return {
    async close() {
      closing.abort();
      await ended.catch(() => {});
    },
  };
}
