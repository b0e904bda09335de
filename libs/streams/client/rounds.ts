/** A record as it goes into a batch. */
export type BatchRecord = {
  /** Name on the broker. */
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
};

/** Records for one partition, in order. */
export type Batch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly BatchRecord[];
  /** What the records take, at most. */
  readonly bytes: number;
};

/** Batches of different partitions, which one request may carry. */
export type Round = readonly Batch[];

/** Every record batch must stay below the smallest max.message.bytes of our topics, 1 MiB; the rest is for its head. */
export const MAX_BATCH_BYTES = 900 * 1024;
/** What a record takes in a batch beside its key and value, at most. */
const RECORD_OVERHEAD = 32;

type Draft = { topic: string; partition: number; records: BatchRecord[]; bytes: number };

/** What a record takes in a batch, at most. */
export function recordBytes({ key, value }: Pick<BatchRecord, 'key' | 'value'>): number {
  const keyBytes = typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
  return keyBytes + (value?.length ?? 0) + RECORD_OVERHEAD;
}

/**
 * Puts records into batches, and these into rounds, so that no batch has more than `maxBytes` and no round two of one
 * partition. Order within a partition is kept. A record that is larger by itself has a batch of its own.
 */
export function splitRounds(records: readonly BatchRecord[], maxBytes: number = MAX_BATCH_BYTES): Round[] {
  const rounds: Round[] = [];
  let round: Draft[] = [];
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
      rounds.push(round);
      round = [];
      for (const drafts of byTopic.values()) drafts.length = 0;
      draft = undefined;
    }
    if (draft === undefined) {
      draft = { topic, partition, records: [], bytes: 0 };
      ofTopic[partition] = draft;
      round.push(draft);
    }
    draft.records.push(record);
    draft.bytes += bytes;
  }
  if (round.length > 0) rounds.push(round);
  return rounds;
}
