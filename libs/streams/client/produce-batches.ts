import type { OutputRecord, TopicPartition } from './port.ts';

const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/**
 * The hash by which Kafka's own clients choose a partition: murmur2 of the key's bytes without the sign bit; the
 * partition is the remainder by the number of partitions.
 */
export function partitionHash(key: Buffer): number {
  const { length } = key;
  const tail = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < tail; at += 4) {
    const word = Math.imul(key.readInt32LE(at), M);
    hash = Math.imul(hash, M) ^ Math.imul(word ^ (word >>> 24), M);
  }
  if (tail < length) {
    for (let at = tail; at < length; at++) hash ^= (key[at] as number) << (8 * (at - tail));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}

/** A record to put into a batch. */
export type BatchRecord = Omit<OutputRecord, 'key'> & { readonly key: Buffer | string | null };

/** Records for one partition, in order. */
export type RecordBatch = TopicPartition & {
  readonly records: readonly BatchRecord[];
  /** Upper bound of the bytes of the records. */
  readonly bytes: number;
};

/** Record batches of different partitions, for one produce request. */
export type ProduceBatch = readonly RecordBatch[];

/** Every record batch must stay below the smallest max.message.bytes of our topics, 1 MiB, with room for its head. */
export const MAX_BATCH_BYTES = 900 * 1024;
/** Upper bound of a record's bytes in a batch beside key and value. */
const RECORD_OVERHEAD = 32;
/** Its header, with lengths. */
const TRACEPARENT_BYTES = 80;

type Draft = TopicPartition & { readonly records: BatchRecord[]; bytes: number };

/** Upper bound of a record's bytes in a batch. */
export function recordBytes(record: Pick<BatchRecord, 'key' | 'value' | 'traceparent'>): number {
  const { key, value, traceparent } = record;
  const keyBytes = typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
  const headers = traceparent === undefined ? 0 : TRACEPARENT_BYTES;
  return keyBytes + (value?.length ?? 0) + RECORD_OVERHEAD + headers;
}

/**
 * Puts records into record batches of at most `maxBytes`, and these into produce batches with at most one record batch
 * of a partition. Keeps the order within a partition. A larger single record gets a record batch of its own.
 */
export function batchRecords(
  records: readonly BatchRecord[],
  maxBytes: number = MAX_BATCH_BYTES,
): ProduceBatch[] {
  const batches: ProduceBatch[] = [];
  let produceBatch: Draft[] = [];
  const byTopic = new Map<string, Draft[]>();
  for (const record of records) {
    const { topic, partition } = record;
    let ofTopic = byTopic.get(topic);
    if (ofTopic === undefined) {
      ofTopic = [];
      byTopic.set(topic, ofTopic);
    }
    const bytes = recordBytes(record);
    let draft = ofTopic[partition];
    if (draft !== undefined && draft.bytes + bytes > maxBytes) {
      batches.push(produceBatch);
      produceBatch = [];
      for (const drafts of byTopic.values()) drafts.length = 0;
      draft = undefined;
    }
    if (draft === undefined) {
      draft = { topic, partition, records: [], bytes: 0 };
      ofTopic[partition] = draft;
      produceBatch.push(draft);
    }
    draft.records.push(record);
    draft.bytes += bytes;
  }
  if (produceBatch.length > 0) batches.push(produceBatch);
  return batches;
}
