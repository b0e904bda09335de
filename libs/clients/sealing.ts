/** Seals short texts for a topic with many readers: the addresses and signing secrets of webhooks. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { defineError } from '#errors/touchline-error.ts';

/** Thrown when a text cannot be opened: it was sealed with another key, or for another context, or it is damaged. */
export class SealError extends defineError('SealError', 'SEAL_BROKEN') {}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts and authenticates a text with AES-256-GCM. Returns nonce, tag and ciphertext as base64url. It opens only for
 * the same `context`, so that one client's address cannot be moved to another client.
 */
export function seal(text: string, key: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Returns the text that was sealed. Throws `SealError`. */
export function unseal(sealed: string, key: Buffer, context: string): string {
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8');
  } catch (cause) {
    throw new SealError('a sealed text cannot be opened with this key', cause);
  }
}
