/** The keys of a deployment: one setting, from which a key for each purpose is derived. */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import { secret } from '#service/config.ts';

const key = z.string().min(32, 'must have at least 32 characters');

/** The setting of processes that issue tokens or handle the webhooks of clients. */
export const clientsSettings = {
  CLIENTS_KEY: secret(
    key.describe(
      'Signs tokens and seals the webhooks of clients; at least 32 characters, the same for every replica.',
    ),
  ),
};

/** Settings of processes that verify tokens or open webhooks, which also accept another key while it is rotated. */
export const rotatingClientsSettings = {
  ...clientsSettings,
  CLIENTS_KEY_SECOND: secret(
    key
      .optional()
      .describe(
        'Second key, whose tokens are accepted and whose webhooks are opened while CLIENTS_KEY is rotated.',
      ),
  ),
};

/** The values of these settings. */
export type ClientsKeys = {
  readonly CLIENTS_KEY: string;
  readonly CLIENTS_KEY_SECOND?: string | undefined;
};

type KeyPurpose = 'tokens' | 'webhooks' | 'board-sessions';

const KEY_BYTES = 32;

/** Derives the key for one purpose, 32 bytes (HKDF-SHA256): a leaked key does not reveal the others. */
export function deriveKey(clientsKey: string, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', clientsKey, '', `touchline ${purpose}`, KEY_BYTES));
}

/** Keys for one purpose: the first one signs and seals, all are accepted. */
export type DerivedKeys = readonly [Buffer, ...Buffer[]];

export function deriveKeys(
  { CLIENTS_KEY, CLIENTS_KEY_SECOND: second }: ClientsKeys,
  purpose: KeyPurpose,
): DerivedKeys {
  const first = deriveKey(CLIENTS_KEY, purpose);
  return second === undefined ? [first] : [first, deriveKey(second, purpose)];
}

/** Thrown when a text cannot be opened: it was sealed with another key, or for another context, or it is damaged. */
export class SealError extends defineError('SealError', 'SEAL_BROKEN') {}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and authenticates a text with AES-256-GCM, as base64url. It opens only for the same `context`: that of one client. */
export function seal(text: string, key: Buffer, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Returns the text that was sealed with one of these keys. Throws `SealError`. */
export function unseal(sealed: string, keys: readonly Buffer[], context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  let cause: unknown;
  for (const key of keys) {
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch (error) {
      cause = error;
    }
  }
  throw new SealError('a sealed text cannot be opened with this key', cause);
}

const SALT_BYTES = 16;
const KEYED = /^hmac-sha256\$([\w-]+)\$([\w-]+)$/;

/** Creates a secret key: 32 lower-case hexadecimal characters. */
export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

/** Returns `hmac-sha256$key$hash`, under a random key. Not stretched: nobody guesses 128 random bits, and a check takes microseconds. */
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
