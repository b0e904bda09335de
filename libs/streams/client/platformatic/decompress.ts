/** Decompresses the records of a batch up to a limit: a small batch of zeros could exhaust the memory of every reader. */
import zlib from 'node:zlib';
import { compressionsAlgorithms } from './library.ts';

/** Maximum bytes of a decompressed batch: 64 times the default message limit of a topic. */
export const MAX_PLAIN_BYTES = 64 * 1024 * 1024;

/** Decompressors by the compression bits of a batch. Each throws a `RangeError` above `limit`, another error for damaged bytes. */
export const DECOMPRESSIONS: Readonly<Record<number, (bytes: Buffer, limit: number) => Buffer>> = {
  1: (bytes, limit) => zlib.gunzipSync(bytes, { maxOutputLength: limit }),
  2: (bytes, limit) => {
    requireWithin(snappyBytes(bytes), limit);
    return compressionsAlgorithms.snappy.decompressSync(bytes);
  },
  3: (bytes, limit) => {
    requireWithin(lz4Bytes(bytes), limit);
    return compressionsAlgorithms.lz4.decompressSync(bytes);
  },
  4: (bytes, limit) => zlib.zstdDecompressSync(bytes, { maxOutputLength: limit }),
};

/** Whether a decompressor failed at the limit; any other error means damaged bytes. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError;
}

function requireWithin(bytes: number, limit: number): void {
  if (bytes > limit) throw new RangeError(`${bytes} bytes`);
}

const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEAD = 16;

/** Returns the decompressed size. A block begins with its size; the Java client writes several blocks. */
function snappyBytes(bytes: Buffer): number {
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) return varint(bytes, 0);
  let total = 0;
  for (let at = XERIAL_HEAD; at + 4 < bytes.length; at += 4 + bytes.readUInt32BE(at))
    total += varint(bytes, at + 4);
  return total;
}

function varint(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start, factor = 1; at < start + 5; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) break;
  }
  return value;
}

const LZ4 = { flags: 4, blockSize: 5, head: 7, contentSize: 8, dictionary: 4, checksum: 4 } as const;
const CONTENT_SIZE = 1 << 3;
const BLOCK_CHECKSUM = 1 << 4;
const DICTIONARY = 1;
const UNCOMPRESSED = 0x80000000;

/** Returns an upper bound of the decompressed size: counts each block as the largest that the frame allows. */
function lz4Bytes(bytes: Buffer): number {
  if (bytes.length < LZ4.head) return 0;
  const flags = bytes[LZ4.flags] as number;
  const most = 2 ** (8 + 2 * (((bytes[LZ4.blockSize] as number) >> 4) & 0b111));
  let at: number = LZ4.head;
  if ((flags & CONTENT_SIZE) !== 0) at += LZ4.contentSize;
  if ((flags & DICTIONARY) !== 0) at += LZ4.dictionary;
  let total = 0;
  while (at + 4 <= bytes.length) {
    const length = bytes.readUInt32LE(at) % UNCOMPRESSED;
    if (length === 0) break;
    total += most;
    at += 4 + length + ((flags & BLOCK_CHECKSUM) === 0 ? 0 : LZ4.checksum);
  }
  return total;
}
