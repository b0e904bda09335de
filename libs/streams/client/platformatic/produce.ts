/** The produce request (version 9), written in one pass into one buffer: the library's objects cost a tenth of a match processor. */

import { type BatchRecord, partitionKey, type TopicPartition, type WrittenBatch } from '../port.ts';
import { type BrokerConnections, byLeader } from './connections.ts';
import { type Connection, crc32c, createAPI, ProduceAcks, produceV9, Writer } from './library.ts';
import { RecordBuffer } from './record-buffer.ts';
import { retryTransient } from './retries.ts';

type RecordBatch = TopicPartition & {
  readonly records: readonly BatchRecord[];
  /** Upper bound of the bytes of the records. */
  readonly bytes: number;
};

/** Record batches of different partitions, for one produce request. */
export type ProduceBatch = readonly RecordBatch[];

/** Maximum bytes of a record batch, below the smallest max.message.bytes of our topics (1 MiB) with room for the head. */
export const MAX_BATCH_BYTES = 900 * 1024;
/** Upper bound of a record's bytes in a batch, without key, value and header. */
const RECORD_OVERHEAD = 32;
/** Upper bound of the bytes of a `traceparent` header with its lengths. */
const TRACEPARENT_BYTES = 80;

type DraftBatch = TopicPartition & { readonly records: BatchRecord[]; bytes: number };

/** Returns an upper bound of a record's bytes in a batch. */
export function recordBytes(record: Pick<BatchRecord, 'key' | 'value' | 'traceparent'>): number {
  const { key, value, traceparent } = record;
  const keyBytes = typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
  const headers = traceparent === undefined ? 0 : TRACEPARENT_BYTES;
  return keyBytes + (value?.length ?? 0) + RECORD_OVERHEAD + headers;
}

/** Groups records into record batches of at most `maxBytes`, one of each partition in a produce batch, in order. A larger record is alone. */
export function batchRecords(
  records: readonly BatchRecord[],
  maxBytes: number = MAX_BATCH_BYTES,
): ProduceBatch[] {
  const batches: ProduceBatch[] = [];
  let produceBatch: DraftBatch[] = [];
  const byTopic = new Map<string, DraftBatch[]>();
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

const TIMEOUT_MS = 10_000;

/** The buffer of a completed request, for the next one of any sender: page faults of fresh memory cost more. No larger ones. */
let spareBuffer: Buffer | null = null;
const MAX_SPARE_BYTES = 2 * 1024 * 1024;

type OnFailure = (error: unknown) => Promise<void>;

const rethrow: OnFailure = (error) => Promise.reject(error);

/** Sends the record batches of one idempotent producer, with their sequence numbers. */
export class BatchSender {
  readonly #connections: BrokerConnections;
  readonly #identity: Identity;
  /** Sequence numbers of the next records, by `partitionKey`. */
  readonly #sequences = new Map<string, number>();

  constructor(connections: BrokerConnections, identity: Identity) {
    this.#connections = connections;
    this.#identity = identity;
  }

  /** Sends produce batches and returns what was written. `onFailure`: after the retries, resolves to send the batch again, or throws. */
  async send(batches: readonly ProduceBatch[], onFailure: OnFailure = rethrow): Promise<WrittenBatch[]> {
    const written: WrittenBatch[] = [];
    for (const produceBatch of batches) {
      // Produce batches are sent one after another, as the batches of a partition must arrive in order.
      written.push(...(await this.#sendUntilAccepted(produceBatch, onFailure)));
      for (const batch of produceBatch) {
        const next = nextSequence(this.#sequenceOf(batch), batch.records.length);
        this.#sequences.set(partitionKey(batch), next);
      }
    }
    return written;
  }

  /** Resends with the same sequence numbers, so that the broker writes no batch twice. */
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

  /** Settles when every leader has responded, so that no response of a first attempt arrives during the second. */
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
    const numbered = batches.map((batch) => ({ batch, sequence: this.#sequenceOf(batch) }));
    const buffer = acquireBuffer(batchesBytes(numbered));
    const response = await produce.async(leader, this.#identity, numbered, TIMEOUT_MS, Date.now(), buffer);
    // After a failure the buffer is not reused: the connection may still write it.
    if (buffer.length <= MAX_SPARE_BYTES) spareBuffer = buffer;
    const baseOffsets = new Map(
      response.responses.flatMap(({ name, partitionResponses }) =>
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

  #sequenceOf(batch: RecordBatch): number {
    return this.#sequences.get(partitionKey(batch)) ?? 0;
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

/** Bytes of a batch that its checksum covers before the records: from the attributes to the number of records. */
const CHECKED_HEAD = 40;
/** Bytes that the length of a batch also covers: leader epoch, format, checksum. */
const UNCHECKED = 9;
const MAGIC = 2;
const TRANSACTIONAL = 1 << 4;
const PRODUCE = { key: 0, version: 9 } as const;
/** Number of sequence numbers; they wrap around to 0. */
const SEQUENCES = 2 ** 31;

/** Returns the sequence number after `records` records. */
export function nextSequence(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}

/** Sends batches of different partitions to their leader with acks=all. */
export const produce = createAPI(PRODUCE.key, PRODUCE.version, createRequest, produceV9.parseResponse);

/** Returns an upper bound of the bytes of a request's batches. */
export function batchesBytes(batches: readonly NumberedBatch[]): number {
  return batches.reduce((sum, { batch }) => sum + CHECKED_HEAD + batch.bytes, 0);
}

/** Writes the body of the request into `buffer`, which nothing else may use until the response. `now`: Unix milliseconds. */
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
