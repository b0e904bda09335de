/** How senders code their bodies: compressed (`Content-Encoding`, RFC 9110 section 8.4), and in which charset. */
import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DeliveryRefusedError } from './refusal.ts';

/** Value of `Accept-Encoding` in the answer to another coding. */
export const ACCEPTED_CODINGS = 'gzip';

/** The coding of a body; null: it is not compressed. */
export type ContentCoding = 'gzip' | null;

/** Returns the coding that a `Content-Encoding` header names; undefined for one that is not supported, and for several. */
export function codingOf(header: string | undefined): ContentCoding | undefined {
  const name = (header ?? '').trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return 'gzip';
  return name === '' || name === 'identity' ? null : undefined;
}

/** Decompresses a body to `limit` bytes at most. Rejects with `DeliveryRefusedError`: `DECODED_TOO_LARGE`, `UNDECODABLE`. */
export async function decompress(received: Buffer, limit: number): Promise<Buffer> {
  try {
    // Several members are one body (RFC 1952), and zlib itself refuses other bytes after a member.
    return await promisify(gunzip)(received, { maxOutputLength: limit });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new DeliveryRefusedError(isLarge ? 'DECODED_TOO_LARGE' : 'UNDECODABLE', error);
  }
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
