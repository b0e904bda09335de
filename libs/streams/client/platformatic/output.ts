/** The types of the protocol, written one after the other into one buffer. */

import { TRACEPARENT } from '#tracing/tracer.ts';
import type { BatchRecord } from '../port.ts';

/** A buffer that is large enough, and the next write position. */
export class ProduceBuffer {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  int8(value: number): void {
    this.at = this.bytes.writeInt8(value, this.at);
  }

  int16(value: number): void {
    this.at = this.bytes.writeInt16BE(value, this.at);
  }

  int32(value: number): void {
    this.at = this.bytes.writeInt32BE(value, this.at);
  }

  int64(value: bigint): void {
    this.at = this.bytes.writeBigInt64BE(value, this.at);
  }

  /** The end of a structure, without tagged fields. */
  noTags(): void {
    this.bytes[this.at++] = 0;
  }

  unsignedVarint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.at++] = rest;
  }

  /** Zigzag, like the lengths in records. */
  varint(value: number): void {
    this.unsignedVarint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  compactBytes(value: Buffer | null): void {
    this.unsignedVarint(value === null ? 0 : value.length + 1);
    if (value !== null) this.at += value.copy(this.bytes, this.at);
  }

  /** Reserves the length of what follows, as an unsigned varint of five bytes whatever its value. */
  reserveLength(): number {
    this.at += LENGTH_BYTES;
    return this.at - LENGTH_BYTES;
  }

  setLength(at: number, length: number): void {
    let rest = length + 1;
    for (let n = 0; n < LENGTH_BYTES - 1; n++) {
      this.bytes[at + n] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[at + LENGTH_BYTES - 1] = rest;
  }

  /** A record: length, attributes, time and offset from the first of its batch, key, value, headers. */
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
    this.varint(length);
    this.bytes[this.at++] = 0;
    this.bytes[this.at++] = 0;
    this.varint(offset);
    this.varint(keyLength);
    if (typeof key === 'string') this.at += this.bytes.write(key, this.at);
    else if (key !== null) this.at += key.copy(this.bytes, this.at);
    this.varint(valueLength);
    if (value !== null) this.at += value.copy(this.bytes, this.at);
    if (traceparent === undefined) this.bytes[this.at++] = 0;
    else this.header(traceparent);
  }

  /** The only header of a record. */
  header(traceparent: string): void {
    this.varint(1);
    this.varint(TRACEPARENT.length);
    this.at += this.bytes.write(TRACEPARENT, this.at, 'latin1');
    this.varint(traceparent.length);
    this.at += this.bytes.write(traceparent, this.at, 'latin1');
  }
}

const LENGTH_BYTES = 5;

/** Of the header beside the number of headers, which has a byte anyway. A `traceparent` is ASCII. */
function headerBytes(traceparent: string): number {
  const { length } = traceparent;
  return varintLength(TRACEPARENT.length) + TRACEPARENT.length + varintLength(length) + length;
}

function varintLength(value: number): number {
  const bits = 32 - Math.clz32((value << 1) ^ (value >> 31));
  return bits === 0 ? 1 : Math.ceil(bits / 7);
}
