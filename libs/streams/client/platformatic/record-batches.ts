/**
 * Decodes record batches (format 2) as views of a response. Skips aborted records as Kafka's consumer does (`CompletedFetch`):
 * the library returns them, kafkajs some. Format: https://kafka.apache.org/documentation/#recordbatch
 */

import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { TRACEPARENT } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { FetchedRecord } from '../port.ts';
import { DECOMPRESSIONS, isTooLarge, MAX_PLAIN_BYTES } from './decompress.ts';
import { crc32c, Writer } from './library.ts';

/** An aborted transaction in a fetch response. */
export type AbortedTransaction = { readonly producerId: bigint; readonly firstOffset: number };

export type DecodeOptions = {
  /** Records below this offset are skipped: a fetch returns whole batches. */
  readonly from: number;
  /** Aborted transactions of the response; null without any. */
  readonly aborted: readonly AbortedTransaction[] | null;
  /** Maximum decompressed bytes; the first batch may exceed it. */
  readonly maxInflated: number;
};

export type DecodedBatches = {
  readonly records: readonly FetchedRecord[];
  /** Offset after the last complete batch, control and aborted batches included; `from` without one. */
  readonly next: number;
  /** Leader epoch of the last complete batch; null without one. */
  readonly epoch: number | null;
  /** Decompressed bytes. The records hold them in memory, in addition to the bytes of the response. */
  readonly inflated: number;
};

/** A batch that cannot be decoded. */
export class RecordBatchError extends defineError('RecordBatchError') {
  /** The offset after the batch, where its bytes are those that were written; else null. */
  readonly next: number | null;

  /** `offset`: first offset of the batch. */
  constructor(
    code: CodeOf<'RecordBatchError'>,
    offset: number,
    problem: string,
    { next = null, cause }: { readonly next?: number | null; readonly cause?: unknown } = {},
  ) {
    super(code, `record batch at offset ${offset}: ${problem}`, cause);
    this.next = next;
  }
}

/** Bytes from the first offset to the number of records. */
const HEAD = 61;
/** Bytes of first offset and length, which the length does not count. */
const BEFORE_LENGTH = 12;
/** Positions of the fields of a batch. */
const AT = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
} as const;
const MAGIC = 2;
const COMPRESSION = 0b111;
const LOG_APPEND_TIME = 1 << 3;
const TRANSACTIONAL = 1 << 4;
const CONTROL = 1 << 5;
const NO_PRODUCER = -1n;
/** Position of the transaction's outcome in the key of a control record, after a version. */
const CONTROL_TYPE_AT = 2;
const ABORT = 0;
const TWO_32 = 2 ** 32;

/** Decodes complete batches, up to `maxInflated` decompressed bytes; the rest is for the next fetch. Throws `RecordBatchError`. */
export function decodeBatches(bytes: Buffer, { from, aborted, maxInflated }: DecodeOptions): DecodedBatches {
  const filter = aborted === null || aborted.length === 0 ? null : new AbortFilter(aborted);
  const records: FetchedRecord[] = [];
  let next = from;
  let epoch: number | null = null;
  let inflated = 0;
  let at = 0;
  while (bytes.length - at >= HEAD && inflated < maxInflated) {
    const first = readOffset(bytes, at);
    const length = bytes.readInt32BE(at + AT.length);
    const magic = bytes[at + AT.magic];
    if (magic !== MAGIC) throw new RecordBatchError('UNSUPPORTED_FORMAT', first, `format ${magic}`);
    if (length < HEAD - BEFORE_LENGTH)
      throw new RecordBatchError('CORRUPT', first, `a length of ${length} bytes`);
    const end = at + BEFORE_LENGTH + length;
    if (end > bytes.length) break;
    checkSum(bytes, at, end, first);
    const last = first + bytes.readInt32BE(at + AT.lastOffsetDelta);
    const attributes = bytes.readInt16BE(at + AT.attributes);
    const isHidden = filter?.hides(bytes, at, attributes, last) ?? false;
    const isEmpty = bytes.readInt32BE(at + AT.count) === 0;
    if (!isHidden && !isEmpty && (attributes & CONTROL) === 0 && last >= from) {
      const plain = plainRecords(bytes.subarray(at + HEAD, end), attributes, { first, next: last + 1 });
      if (plain instanceof RecordBatchError) {
        // The records before it are delivered first.
        if (next > from) break;
        throw plain;
      }
      if ((attributes & COMPRESSION) !== 0) inflated += plain.length;
      decodeRecords(plain, bytes, at, first, from, records);
    }
    next = Math.max(next, last + 1);
    epoch = bytes.readInt32BE(at + AT.leaderEpoch);
    at = end;
  }
  return { records, next, epoch, inflated };
}

/** Finds the batches of aborted transactions: from its first offset to the next abort marker of its producer. */
class AbortFilter {
  readonly #coming: AbortedTransaction[];
  readonly #open = new Set<bigint>();
  #taken = 0;

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#coming = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  }

  hides(bytes: Buffer, at: number, attributes: number, last: number): boolean {
    const producer = bytes.readBigInt64BE(at + AT.producerId);
    if (producer === NO_PRODUCER) return false;
    for (;;) {
      const next = this.#coming[this.#taken];
      if (next === undefined || next.firstOffset > last) break;
      this.#open.add(next.producerId);
      this.#taken += 1;
    }
    if ((attributes & CONTROL) !== 0) {
      if (isAbortMarker(bytes, at)) this.#open.delete(producer);
      return false;
    }
    return (attributes & TRANSACTIONAL) !== 0 && this.#open.has(producer);
  }
}

/** Whether a control batch aborts: the key of its only record has the outcome of the transaction. */
function isAbortMarker(bytes: Buffer, at: number): boolean {
  if (bytes.readInt32BE(at + AT.count) === 0) return false;
  const cursor = { at: at + HEAD };
  readVarint(bytes, cursor);
  cursor.at += 1;
  readVarlong(bytes, cursor);
  readVarint(bytes, cursor);
  readVarint(bytes, cursor);
  return bytes.readInt16BE(cursor.at + CONTROL_TYPE_AT) === ABORT;
}

/** Checks the CRC, as Kafka's consumer does: 0.16 µs per KiB, a hundredth of processing the records. */
function checkSum(bytes: Buffer, at: number, end: number, first: number): void {
  // The library copies anything but a dynamic buffer.
  const checked = Writer.create().append(bytes.subarray(at + AT.attributes, end)).dynamicBuffer;
  if (crc32c(checked) !== bytes.readUInt32BE(at + AT.crc))
    throw new RecordBatchError('CORRUPT', first, 'its checksum differs');
}

function plainRecords(
  records: Buffer,
  attributes: number,
  { first, next }: { readonly first: number; readonly next: number },
): Buffer | RecordBatchError {
  const compression = attributes & COMPRESSION;
  if (compression === 0) return records;
  const decompress = DECOMPRESSIONS[compression];
  if (decompress === undefined)
    return new RecordBatchError('UNSUPPORTED_FORMAT', first, `compression ${compression}`, { next });
  try {
    return decompress(records, MAX_PLAIN_BYTES);
  } catch (error) {
    if (isTooLarge(error)) {
      const problem = `it has more than ${MAX_PLAIN_BYTES} bytes once decompressed; continue after it, at offset ${next}`;
      return new RecordBatchError('TOO_LARGE', first, problem, { next, cause: error });
    }
    return new RecordBatchError('CORRUPT', first, 'cannot be decompressed', { cause: error });
  }
}

/** Appends a batch's decompressed records to `into`; its head is at `at`. Skips headers, but `traceparent` while traces are on. */
function decodeRecords(
  plain: Buffer,
  bytes: Buffer,
  at: number,
  first: number,
  from: number,
  into: FetchedRecord[],
): void {
  const count = bytes.readInt32BE(at + AT.count);
  const isAppendTime = (bytes.readInt16BE(at + AT.attributes) & LOG_APPEND_TIME) !== 0;
  // In a compacted batch the delete horizon replaces the base time, and the time deltas count from it.
  const time = readOffset(bytes, at + (isAppendTime ? AT.maxTimestamp : AT.baseTimestamp));
  const cursor = { at: 0 };
  const isTracing = tracer() !== null;
  for (let n = 0; n < count; n += 1) {
    const length = readVarint(plain, cursor);
    const end = cursor.at + length;
    if (length < 0 || end > plain.length) throw new RecordBatchError('CORRUPT', first, 'a record is cut');
    cursor.at += 1;
    const timeDelta = readVarlong(plain, cursor);
    const offset = first + readVarint(plain, cursor);
    if (offset >= from) {
      const key = readBytes(plain, cursor);
      const value = readBytes(plain, cursor);
      if (cursor.at > end) throw new RecordBatchError('CORRUPT', first, 'a record is longer than it says');
      const timestamp = isAppendTime ? time : time + timeDelta;
      const traceparent = isTracing ? traceparentOf(plain, cursor, end) : undefined;
      if (traceparent === undefined) into.push({ offset, key, value, timestamp });
      else into.push({ offset, key, value, timestamp, traceparent });
    }
    cursor.at = end;
  }
}

/** Returns the `traceparent` header; undefined without one. */
function traceparentOf(bytes: Buffer, cursor: Cursor, end: number): string | undefined {
  for (let headers = readVarint(bytes, cursor); headers > 0 && cursor.at < end; headers -= 1) {
    const name = readBytes(bytes, cursor);
    const value = readBytes(bytes, cursor);
    if (name?.toString('latin1') === TRACEPARENT && value !== null && cursor.at <= end)
      return value.toString('latin1');
  }
  return undefined;
}

type Cursor = { at: number };

function readBytes(bytes: Buffer, cursor: Cursor): Buffer | null {
  const length = readVarint(bytes, cursor);
  if (length < 0) return null;
  const start = cursor.at;
  cursor.at = start + length;
  return bytes.subarray(start, cursor.at);
}

/** Reads a zigzag varint of at most 32 bits. */
function readVarint(bytes: Buffer, cursor: Cursor): number {
  let byte = bytes[cursor.at++] as number;
  let value = byte & 0x7f;
  for (let shift = 7; byte > 0x7f && shift < 35; shift += 7) {
    byte = bytes[cursor.at++] as number;
    value |= (byte & 0x7f) << shift;
  }
  return (value >>> 1) ^ -(value & 1);
}

/** Reads a zigzag varint of at most 64 bits; exact up to 2^53. */
function readVarlong(bytes: Buffer, cursor: Cursor): number {
  let byte = bytes[cursor.at++] as number;
  let value = byte & 0x7f;
  for (let factor = 128; byte > 0x7f; factor *= 128) {
    byte = bytes[cursor.at++] as number;
    value += (byte & 0x7f) * factor;
  }
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function readOffset(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * TWO_32 + bytes.readUInt32BE(at + 4);
}
