/**
 * Tokens of the REST contract (spec, "Authentication"). A token contains its client and expiration and is signed; no
 * state is stored, so every replica with the key verifies every token: `v1.<client id>.<expiration>.<signature>`. The
 * signature is HMAC-SHA256 of the text before it, as base64url. A token needs no escaping in a URL.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Shortest key, in bytes: as long as the hash. */
export const MIN_KEY_BYTES = 32;

/** Bytes, or a `createSecretKey` of them, which verifies several times as fast. */
export type TokenKey = Uint8Array | KeyObject;

/** The content of a token. */
export type TokenClaims = {
  readonly clientId: number;
  /** Unix seconds; from this second on the token is invalid. */
  readonly expiration: number;
};

const TOKEN = /^(v1\.([1-9][0-9]{0,15})\.([1-9][0-9]{0,15}))\.([A-Za-z0-9_-]{43})$/;
const MAX_LENGTH = 'v1.'.length + 16 + 1 + 16 + 1 + 43;

/**
 * A token for `clientId` until `expiration` (Unix seconds). Throws a RangeError for an id or a time that is not a
 * positive whole number, or a key that is too short.
 */
export function issueToken(clientId: number, expiration: number, key: TokenKey): string {
  if (!isPositive(clientId)) throw new RangeError('a client id is a positive whole number');
  if (!isPositive(expiration)) throw new RangeError('an expiration is a positive whole number of seconds');
  const claims = `v1.${clientId}.${expiration}`;
  return `${claims}.${signature(claims, key).toString('base64url')}`;
}

/**
 * The content of a token, or null: malformed, signed with another key, or expired at `now` (Unix seconds). Never throws
 * for a token; a RangeError for a key that is too short.
 */
export function verifyToken(token: string, now: number, key: TokenKey): TokenClaims | null {
  if (token.length > MAX_LENGTH) return null;
  const [, claims, clientId, expiration, signed] = TOKEN.exec(token) ?? [];
  if (claims === undefined || signed === undefined) return null;
  // Compared as text: a signature has several spellings in base64url, only ours is accepted.
  const expected = signature(claims, key).toString('base64url');
  if (!timingSafeEqual(Buffer.from(signed), Buffer.from(expected))) return null;
  return now < Number(expiration) ? { clientId: Number(clientId), expiration: Number(expiration) } : null;
}

/** As `verifyToken`, where any of the keys may have signed it; they are tried in their order. */
export function verifyTokenWithAny(token: string, now: number, keys: Iterable<TokenKey>): TokenClaims | null {
  for (const key of keys) {
    const claims = verifyToken(token, now, key);
    if (claims !== null) return claims;
  }
  return null;
}

function signature(claims: string, key: TokenKey): Buffer {
  const bytes = key instanceof Uint8Array ? key.length : (key.symmetricKeySize ?? 0);
  if (bytes < MIN_KEY_BYTES) throw new RangeError(`a key has at least ${MIN_KEY_BYTES} bytes`);
  return createHmac('sha256', key).update(claims).digest();
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
