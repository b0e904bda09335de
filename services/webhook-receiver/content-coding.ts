/** How senders code their bodies: compressed (`Content-Encoding`, RFC 9110 section 8.4), and in which charset. */
import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  gunzip,
  inflate,
  inflateRaw,
  type Zlib,
  zstdDecompress,
} from 'node:zlib';
import { DeliveryRefusedError } from './refusal.ts';

/** Returns decoded bytes. Rejects when these are more than `limit`, without decoding more, or when bytes are damaged. */
type Decoder = (bytes: Buffer, limit: number) => Promise<Buffer>;

/** Decoders of a body, in the order in which they apply. Empty: the body is not compressed. */
export type ContentCodings = readonly Decoder[];

/** Maximum number of codings of a body: each costs as much as the first. */
const MAX_CODINGS = 4;

/** Code of zlib's error when a limit of decoded bytes is reached. */
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';

/** Maximum window of zstd that a decoder of HTTP must support (RFC 9659): 8 MiB. Without it a head could allocate 128 MiB. */
const ZSTD_MAX_WINDOW_LOG = 23;

/** A body is one compressed stream: what follows it would be lost silently. */
const ONE_STREAM = { rejectGarbageAfterEnd: true };

// Several members are one body (RFC 1952), and zlib itself refuses other bytes after a member.
const gzipped: Decoder = (bytes, limit) => promisify(gunzip)(bytes, { maxOutputLength: limit });

// Named after the zlib format; many senders omit its head.
const deflated: Decoder = (bytes, limit) =>
  promisify(hasZlibHead(bytes) ? inflate : inflateRaw)(bytes, { ...ONE_STREAM, maxOutputLength: limit });

const brotli: Decoder = (bytes, limit) =>
  promisify(brotliDecompress)(bytes, { ...ONE_STREAM, maxOutputLength: limit });

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gzipped],
  ['x-gzip', gzipped],
  ['deflate', deflated],
  ['br', brotli],
  ['zstd', unzstd],
]);

/** Maximum number of frames of a zstd body: each costs a decoder, and may be of nine bytes. */
const ZSTD_MAX_FRAMES = 64;

/** Several frames are one body (RFC 8878): Node's own streams end theirs with an empty one. Its decoder reads only the first. */
async function unzstd(bytes: Buffer, limit: number): Promise<Buffer> {
  const frames: Buffer[] = [];
  let rest = bytes;
  let room = limit;
  do {
    if (frames.length === ZSTD_MAX_FRAMES) throw new RangeError('too many frames');
    const { buffer, engine } = await zstdFrame(rest, room);
    frames.push(buffer);
    room -= buffer.length;
    rest = rest.subarray(engine.bytesWritten);
  } while (rest.length > 0);
  return Buffer.concat(frames);
}

/** Decodes the first frame. `bytesWritten` of the engine is the number of bytes that it read. */
function zstdFrame(bytes: Buffer, room: number): Promise<{ buffer: Buffer; engine: Zlib }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ buffer: Buffer; engine: Zlib }>();
  const params = { [constants.ZSTD_d_windowLogMax]: ZSTD_MAX_WINDOW_LOG };
  // A limit of 0 is refused as an option; the frame after a body of the limit may be empty.
  zstdDecompress(bytes, { params, maxOutputLength: Math.max(1, room), info: true }, (error, result) => {
    const read = result as unknown as { buffer: Buffer; engine: Zlib };
    if (error !== null) reject(error);
    else if (read.buffer.length > room) reject(Object.assign(new RangeError(), { code: TOO_LARGE }));
    else resolve(read);
  });
  return promise;
}

/** Returns the decoders for a `Content-Encoding` header; null when one of its codings, or their number, is not supported. */
export function codingsOf(header: string | undefined): ContentCodings | null {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  // The header names the codings in the order in which the sender applied them.
  const decoders = names.map((name) => DECODERS.get(name)).reverse();
  return decoders.length <= MAX_CODINGS && decoders.every((decode) => decode !== undefined) ? decoders : null;
}

/** Decodes a body, no coding to more than `limit` bytes. Rejects with `DeliveryRefusedError`: `DECODED_TOO_LARGE`, `UNDECODABLE`. */
export async function decodeBody(received: Buffer, codings: ContentCodings, limit: number): Promise<Buffer> {
  let body = received;
  try {
    for (const decode of codings) body = await decode(body, limit);
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === TOO_LARGE;
    throw new DeliveryRefusedError(isLarge ? 'DECODED_TOO_LARGE' : 'UNDECODABLE', error);
  }
  return body;
}

/** Whether bytes begin with the head of the zlib format (RFC 1950). */
function hasZlibHead(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] as number) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Charsets of bodies. `ascii`: a charset whose ASCII bytes are those of UTF-8; `other`: none that is read. */
export type BodyCharset = 'utf8' | 'ascii' | 'other';

const UTF8 = /^(utf-?8|us-ascii|ascii)$/;
const SINGLE_BYTE = /^(iso-8859-\d+|latin1|windows-125\d)$/;

/** Returns the charset that a `Content-Type` header names. JSON without a name is UTF-8 (RFC 8259). */
export function charsetOf(contentType: string | undefined): BodyCharset {
  const name = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (UTF8.test(name)) return 'utf8';
  return SINGLE_BYTE.test(name) ? 'ascii' : 'other';
}

/** Throws `DeliveryRefusedError` `CHARSET` when a decoded body is not also UTF-8. */
export function checkCharset(body: Buffer, charset: BodyCharset): void {
  if (charset === 'ascii' && !isAscii(body)) throw new DeliveryRefusedError('CHARSET');
}
