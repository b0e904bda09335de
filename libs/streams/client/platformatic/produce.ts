/**
 * The produce request (version 9) with record batches (format 2), whose records are written in one pass into one buffer. The library
 * allocates several buffers and objects per record, a tenth of the time of a match processor.
 */

import { type BatchRecord, partitionKey, type TopicPartition, type WrittenBatch } from '../port.ts';
import { type BrokerConnections, byLeader } from './connections.ts';
import { type Connection, crc32c, createAPI, ProduceAcks, produceV9, Writer } from './library.ts';
import { RecordBuffer } from './record-buffer.ts';
import { retryTransient } from './retries.ts';

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

const PRODUCE_TIMEOUT_MS = 10_000;

/**
 * The buffer of an answered request, for the next request of any sender: page faults of fresh memory cost more than
 * writing the request. Larger buffers are not reused.
 */
let spareBuffer: Buffer | null = null;
const MAX_SPARE_BYTES = 2 * 1024 * 1024;

type OnFailure = (error: unknown) => Promise<void>;

const giveUp: OnFailure = (error) => Promise.reject(error);

/** Sends the record batches of one idempotent producer, with their sequence numbers. */
export class BatchSender {
  readonly #connections: BrokerConnections;
  readonly #identity: Identity;
  /** Sequence number of the next record, by partition. */
  readonly #sequences = new Map<string, number>();

  constructor(connections: BrokerConnections, identity: Identity) {
    this.#connections = connections;
    this.#identity = identity;
  }

  /**
   * After a rejection the outcome is unknown, and the sender must not be used again. `onFailure` decides about a failure
   * that lasted: it resolves where the same produce batch is to be sent once more, else it throws. Resolves with where the
   * batches were written.
   */
  async send(batches: readonly ProduceBatch[], onFailure: OnFailure = giveUp): Promise<WrittenBatch[]> {
    const written: WrittenBatch[] = [];
    for (const produceBatch of batches) {
      // Leaders in parallel, produce batches one after the other: a partition's batches must arrive in order.
      written.push(...(await this.#sendUntilAccepted(produceBatch, onFailure)));
      for (const batch of produceBatch)
        this.#sequences.set(
          partitionKey(batch),
          nextSequence(this.#sequences.get(partitionKey(batch)) ?? 0, batch.records.length),
        );
    }
    return written;
  }

  /** Resends with the same sequence numbers: an accepted batch is not written twice. */
  async #sendUntilAccepted(produceBatch: ProduceBatch, onFailure: OnFailure): Promise<WrittenBatch[]> {
    const forget = (): void => this.#connections.forget();
    for (;;) {
      try {
        return await retryTransient(() => this.#sendBatch(produceBatch), forget);
      } catch (error) {
        await onFailure(error);
      }
    }
  }

  /** Settles when every leader has answered, so that no answer of a first attempt arrives during a second. */
  async #sendBatch(produceBatch: ProduceBatch): Promise<WrittenBatch[]> {
    const leaders = await byLeader(this.#connections, produceBatch);
    const sent = await Promise.allSettled(
      [...leaders].map(([leader, batches]) => this.#sendTo(leader, batches)),
    );
    const failed = sent.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return sent.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  async #sendTo(leader: Connection, batches: readonly RecordBatch[]): Promise<WrittenBatch[]> {
    const numbered = batches.map((batch) => ({
      batch,
      sequence: this.#sequences.get(partitionKey(batch)) ?? 0,
    }));
    const buffer = acquireBuffer(batchesBytes(numbered));
    const answer = await produce.async(
      leader,
      this.#identity,
      numbered,
      PRODUCE_TIMEOUT_MS,
      Date.now(),
      buffer,
    );
    // Not after a failure: the connection may still write it.
    if (buffer.length <= MAX_SPARE_BYTES) spareBuffer = buffer;
    const baseOffsets = new Map(
      answer.responses.flatMap(({ name, partitionResponses }) =>
        partitionResponses.map(({ index, baseOffset }) => [`${name}-${index}`, Number(baseOffset)] as const),
      ),
    );
    return batches.map(({ topic, partition, records }) => ({
      topic,
      partition,
      baseOffset: baseOffsets.get(`${topic}-${partition}`) ?? -1,
      count: records.length,
    }));
  }
}

function acquireBuffer(bytes: number): Buffer {
  const buffer = spareBuffer;
  if (buffer === null || buffer.length < bytes) return Buffer.allocUnsafeSlow(bytes);
  spareBuffer = null;
  return buffer;
}

/** The producer's identity on the broker. */
export type Identity = {
  /** Null for a producer that is only idempotent. */
  readonly transactionalId: string | null;
  readonly id: bigint;
  readonly epoch: number;
};

/** A record batch, and the sequence number of its first record for its producer and partition. */
export type NumberedBatch = { readonly batch: RecordBatch; readonly sequence: number };

/** Of a batch, what its checksum covers before the records: from its attributes to their number. */
const CHECKED_HEAD = 40;
/** What the length of a batch covers beside that: leader epoch, format, checksum. */
const UNCHECKED = 9;
const MAGIC = 2;
const TRANSACTIONAL = 1 << 4;
const PRODUCE = { key: 0, version: 9 } as const;
/** Sequence numbers wrap around to 0 after it. */
const SEQUENCES = 2 ** 31;

/** The sequence number after this many records. */
export function nextSequence(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}

/** Sends batches of different partitions to their leader with acks=all. */
export const produce = createAPI(PRODUCE.key, PRODUCE.version, createRequest, produceV9.parseResponse);

/** Upper bound of the bytes of the batches of a request. */
export function batchesBytes(batches: readonly NumberedBatch[]): number {
  return batches.reduce((sum, { batch }) => sum + CHECKED_HEAD + batch.bytes, 0);
}

/**
 * Writes the body of the request: the batches into `buffer`, of at least `batchesBytes`, which nothing else may use until the
 * request is answered. `now`: Unix milliseconds, the time of all records.
 */
export function createRequest(
  identity: Identity,
  batches: readonly NumberedBatch[],
  timeoutMs: number,
  now: number,
  buffer: Buffer,
): Writer {
  const out = new RecordBuffer(buffer);
  return Writer.create()
    .appendString(identity.transactionalId)
    .appendInt16(ProduceAcks.ALL)
    .appendInt32(timeoutMs)
    .appendArray([...Map.groupBy(batches, ({ batch }) => batch.topic)], (topic, [name, ofTopic]) => {
      topic.appendString(name).appendArray(ofTopic, (request, { batch, sequence }) => {
        const written = writeBatch(out, identity, batch.records, sequence, now);
        request
          .appendInt32(batch.partition)
          .appendUnsignedVarInt(written.length + 1)
          .appendFrom(written);
      });
    })
    .appendTaggedFields();
}

function writeBatch(
  out: RecordBuffer,
  { transactionalId, id, epoch }: Identity,
  records: readonly BatchRecord[],
  sequence: number,
  now: number,
): Writer {
  const start = out.at;
  Writer.create()
    .appendInt16(transactionalId === null ? 0 : TRANSACTIONAL)
    .appendInt32(records.length - 1)
    .appendInt64(BigInt(now))
    .appendInt64(BigInt(now))
    .appendInt64(id)
    .appendInt16(epoch)
    .appendInt32(sequence)
    .appendInt32(records.length)
    .buffer.copy(out.bytes, start);
  out.at = start + CHECKED_HEAD;
  for (let n = 0; n < records.length; n++) out.record(records[n] as BatchRecord, n);
  const checked = out.bytes.subarray(start, out.at);
  // The library copies anything but a dynamic buffer.
  const checksum = crc32c(Writer.create().append(checked).dynamicBuffer);
  return Writer.create()
    .appendInt64(0n)
    .appendInt32(UNCHECKED + checked.length)
    .appendInt32(0)
    .appendInt8(MAGIC)
    .appendUnsignedInt32(checksum)
    .append(checked);
}
