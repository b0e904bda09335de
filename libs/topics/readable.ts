/** Records that nobody can read: their reader leaves them out and reports each once; processes log and count, commands print it. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { partitionKey, partitionOfKey, type TopicPartition } from '#streams/client/port.ts';
import type { Decoder } from './codec.ts';
import { DecodeError } from './errors.ts';

/** A record that its reader cannot use, and why. `topic` is its name on the broker. */
export type UnreadableRecord = TopicPartition & {
  readonly offset: number;
  readonly error: Error;
  /** Null where the reader does not say. */
  readonly key?: string | null;
};

const NAME = 'touchline:record:unreadable';
const reports = channel(NAME);
/** Readers read a topic again, after an edit or an error: a record is reported once. */
const reported = new Set<string>();
const MAX_REPORTED = 10_000;

/** Reports a record that its reader cannot use, once. */
export function reportUnreadable(record: UnreadableRecord): void {
  const id = `${partitionKey(record)}@${record.offset}`;
  if (reported.has(id)) return;
  if (reported.size >= MAX_REPORTED) reported.clear();
  reported.add(id);
  reports.publish(record);
}

/** Calls `listener` with each reported record. Returns a function that ends this. */
export function onUnreadable(listener: (record: UnreadableRecord) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as UnreadableRecord);
  subscribe(NAME, onMessage);
  return () => void unsubscribe(NAME, onMessage);
}

type Encoded = { readonly offset: number; readonly key: Buffer | null; readonly value: Buffer | null };

/** A record with its decoded value, which is null for a deleted key. */
export type Readable<T, R> = { readonly record: R; readonly value: T | null };

type RecordPlace = {
  /** The field of the value that must equal the key. */
  readonly keyField?: string | undefined;
  /** Of a topic by event: its number of partitions, of which each event has one. */
  readonly partitions?: number | undefined;
};

/** Decodes a partition's records in order. Passes those that cannot be decoded, or are not in their `place`, to `report`. */
export async function readable<T extends object, R extends Encoded>(
  decoder: Pick<Decoder<T>, 'prepare' | 'decode'>,
  of: TopicPartition,
  records: readonly R[],
  report: (record: UnreadableRecord) => void = reportUnreadable,
  { keyField, partitions }: RecordPlace = {},
): Promise<Readable<T, R>[]> {
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
