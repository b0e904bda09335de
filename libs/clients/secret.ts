/** The secret keys of clients: made here, shown once, kept as salted hashes only. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

type Cost = { readonly N: number; readonly r: number; readonly p: number };

// A secret of 128 random bits needs no stretching against guessing; this guards one that an operator chose.
const COST: Cost = { N: 16_384, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^scrypt\$(\d{1,7})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** A new secret key: 32 lower-case hexadecimal characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

/** The salted hash of a secret, with its costs: `scrypt$N$r$p$salt$hash`. Works outside the event loop. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(secret, salt, COST);
  const { N, r, p } = COST;
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** Whether the secret is the one that was hashed; false for what is no such hash. Constant in time. */
export async function verifySecret(secret: string, hashed: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = FORM.exec(hashed) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const wanted = Buffer.from(hash, 'base64url');
  const found = await derive(secret, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

function derive(secret: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, HASH_BYTES, cost, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
