import { TRACEPARENT } from '#tracing/tracer.ts';
import type { BatchRecord } from '../port.ts';

/** Writes records one after the other into a buffer, which must be large enough. */
export class RecordBuffer {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
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
