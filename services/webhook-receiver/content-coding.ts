/** How senders compress their bodies (`Content-Encoding`, RFC 9110 section 8.4). */
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
