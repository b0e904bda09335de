/** The secret keys of clients: made here, shown once, kept as salted hashes only. */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const SALT_BYTES = 16;
const KEYED = /^hmac-sha256\$([\w-]+)\$([\w-]+)$/;
/** The form of former releases, with its costs: tens of milliseconds and 16 MiB a check. */
const STRETCHED = /^scrypt\$(\d{1,7})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

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

/** Whether a stored hash has the form of former releases, which takes long to check. */
export function isStretched(hashed: string): boolean {
  return STRETCHED.test(hashed);
}

/** Whether the secret is the one that was hashed; false for a stretched hash and for what is no hash. Constant in time. */
export function verifySecret(secret: string, hashed: string): boolean {
  const [, salt, hash] = KEYED.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  return isEqual(Buffer.from(hash, 'base64url'), keyedHash(secret, Buffer.from(salt, 'base64url')));
}

/** As `verifySecret`, for a stretched hash. Works outside the event loop. */
export async function verifyStretched(secret: string, hashed: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = STRETCHED.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const wanted = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await new Promise<Buffer>((resolve, reject) => {
    scrypt(secret, Buffer.from(salt, 'base64url'), wanted.length, cost, (error, derived) =>
      error ? reject(error) : resolve(derived),
    );
  });
  return isEqual(wanted, found);
}

function keyedHash(secret: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(secret).digest();
}

function isEqual(wanted: Buffer, found: Buffer): boolean {
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}
