import { randomBytes, scryptSync } from 'node:crypto';

/** The hash of a secret as former releases stored it. */
export function stretchedHash(secret: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(secret, salt, 32, { N: 16_384, r: 8, p: 1 });
  return `scrypt$16384$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}
