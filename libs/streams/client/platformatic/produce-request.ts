/** The produce request (version 9), written in one pass into one buffer: the library's objects cost a tenth of a match processor. */

import { TRACEPARENT } from '#tracing/tracer.ts';
import type { BatchRecord, TopicPartition } from '../port.ts';
import { crc32c, createAPI, ProduceAcks, produceV9, Writer } from './library.ts';

/** The producer's identity on the broker. */
export type Identity = {
  /** Null for a producer that is only idempotent. */
  readonly transactionalId: string | null;
  readonly id: bigint;
  readonly epoch: number;
};

export type RecordBatch = TopicPartition & {
  readonly records: readonly BatchRecord[];
  /** Upper bound of the bytes of the records. */
  readonly bytes: number;
};

/** A record batch, and the sequence number of its first record for its producer and partition. */
export type NumberedBatch = { readonly batch: RecordBatch; readonly sequence: number };

/** Maximum bytes of a record batch, below the smallest max.message.bytes of our topics (1 MiB) with room for the head. */
export const MAX_BATCH_BYTES = 900 * 1024;
/** Upper bound of a record's bytes in a batch, without key, value and header. */
const RECORD_OVERHEAD = 32;
/** Upper bound of the bytes of a `traceparent` header with its lengths. */
const TRACEPARENT_BYTES = 80;

/** Bytes of a batch that its checksum covers before the records: from the attributes to the number of records. */
const CHECKED_HEAD = 40;
/** Bytes that the length of a batch also covers: leader epoch, format, checksum. */
const UNCHECKED = 9;
const MAGIC = 2;
const TRANSACTIONAL = 1 << 4;
const PRODUCE = { key: 0, version: 9 } as const;
/** Number of sequence numbers; they wrap around to 0. */
const SEQUENCES = 2 ** 31;

/** Returns an upper bound of a record's bytes in a batch. */
export function recordBytes(record: Pick<BatchRecord, 'key' | 'value' | 'traceparent'>): number {
  const { key, value, traceparent } = record;
  const keyBytes = typeof key === 'string' ? Buffer.byteLength(key) : (key?.length ?? 0);
  const headers = traceparent === undefined ? 0 : TRACEPARENT_BYTES;
  return keyBytes + (value?.length ?? 0) + RECORD_OVERHEAD + headers;
}

/** Returns the sequence number after `records` records. */
export function nextSequence(sequence: number, records: number): number {
  return (sequence + records) % SEQUENCES;
}

/** Sends batches of different partitions to their leader with acks=all. */
export const produce = createAPI(PRODUCE.key, PRODUCE.version, createRequest, produceV9.parseResponse);

/** Writes the body of the request. `now`: Unix milliseconds. */
export function createRequest(
  identity: Identity,
  batches: readonly NumberedBatch[],
  timeoutMs: number,
  now: number,
): Writer {
  const out = new RecordBuffer(batches.reduce((sum, { batch }) => sum + CHECKED_HEAD + batch.bytes, 0));
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

/** Writes records one after the other into a buffer. */
class RecordBuffer {
  readonly bytes: Buffer;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** Writes a record: length, attributes, time delta, offset delta (`offset`), key, value, headers. */
  record({ key, value, traceparent }: BatchRecord, offset: number): void {
    const keyLength = key === null ? -1 : typeof key === 'string' ? Buffer.byteLength(key) : key.length;
    const valueLength = value === null ? -1 : value.length;
    const length =
      3 +
      varintLength(offset) +
      varintLength(keyLength) +
      Math.max(0, keyLength) +
      varintLength(valueLength) +
      Math.max(0, valueLength) +
      (traceparent === undefined ? 0 : headerBytes(traceparent));
    this.#varint(length);
    this.bytes[this.at++] = 0;
    this.bytes[this.at++] = 0;
    this.#varint(offset);
    this.#varint(keyLength);
    if (typeof key === 'string') this.at += this.bytes.write(key, this.at);
    else if (key !== null) this.at += key.copy(this.bytes, this.at);
    this.#varint(valueLength);
    if (value !== null) this.at += value.copy(this.bytes, this.at);
    if (traceparent === undefined) this.bytes[this.at++] = 0;
    else this.#header(traceparent);
  }

  /** Writes the number of headers, 1, and the header. */
  #header(traceparent: string): void {
    this.#varint(1);
    this.#varint(TRACEPARENT.length);
    this.at += this.bytes.write(TRACEPARENT, this.at, 'latin1');
    this.#varint(traceparent.length);
    this.at += this.bytes.write(traceparent, this.at, 'latin1');
  }

  /** Writes a zigzag varint of 32 bits. */
  #varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 0x7f) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.at++] = rest;
  }
}

/** Returns the bytes of the header, without the number of headers. A `traceparent` is ASCII. */
function headerBytes(traceparent: string): number {
  const { length } = traceparent;
  return varintLength(TRACEPARENT.length) + TRACEPARENT.length + varintLength(length) + length;
}

function varintLength(value: number): number {
  const bits = 32 - Math.clz32((value << 1) ^ (value >> 31));
  return bits === 0 ? 1 : Math.ceil(bits / 7);
}
