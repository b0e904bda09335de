/** The secret keys of clients: created here, shown once, stored as salted hashes only. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
const KEYED = /^hmac-sha256\$([\w-]+)\$([\w-]+)$/;

/** Creates a secret key: 32 lower-case hexadecimal characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

/**
 * Returns the hash of a secret under a random key: `hmac-sha256$key$hash`. It is not stretched, as 128 random bits cannot
 * be guessed: a check takes microseconds, so that guesses do not slow down other clients.
 */
export function hashSecret(secret: string): string {
  const salt = randomBytes(SALT_BYTES);
  return `hmac-sha256$${salt.toString('base64url')}$${keyedHash(secret, salt).toString('base64url')}`;
}

/** Whether the secret is the hashed one, in constant time. False for a hash of another format. */
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
