/** The secret keys of clients: made here, shown once, kept as salted hashes only. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
const KEYED = /^hmac-sha256\$([\w-]+)\$([\w-]+)$/;

/** A new secret key: 32 lower-case hexadecimal characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

/**
 * The hash of a secret under a key of its own: `hmac-sha256$key$hash`. A secret of 128 random bits cannot be guessed, so
 * it is not stretched: a check takes microseconds, and guesses at any rate hold up nobody.
 */
export function hashSecret(secret: string): string {
  const salt = randomBytes(SALT_BYTES);
  return `hmac-sha256$${salt.toString('base64url')}$${keyedHash(secret, salt).toString('base64url')}`;
}

/** Whether the secret is the one that was hashed; false for a hash of another form. Constant in time. */
export function verifySecret(secret: string, hashed: string): boolean {
  const [, salt, hash] = KEYED.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const wanted = Buffer.from(hash, 'base64url');
  const found = keyedHash(secret, Buffer.from(salt, 'base64url'));
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

function keyedHash(secret: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(secret).digest();
}
