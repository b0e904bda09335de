/**
 * Tokens of the REST contract (spec, "Authentication"). A token contains its client and expiration and is signed; no
 * state is stored, so every replica with the key verifies every token: `v1.<client id>.<expiration>.<signature>`. The
 * signature is HMAC-SHA256 of the text before it, as base64url. A token needs no escaping in a URL.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Shortest key, in bytes: as long as the hash. */
export const MIN_KEY_BYTES = 32;

/** Bytes, or a `createSecretKey` of them, which verifies several times as fast. */
export type TokenKey = Uint8Array | KeyObject;

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
 * The content of a token that any of the keys has signed, which are tried in their order, or null: malformed, signed with another key,
 * or expired at `now` (Unix seconds). Never throws for a token; a RangeError for a key that is too short.
 */
export function verifyToken(token: string, now: number, keys: Iterable<TokenKey>): TokenClaims | null {
  const parsed = parseToken(token);
  return parsed !== null && isSigned(parsed, keys) ? unexpired(parsed, now) : null;
}

/** Signatures that a verifier keeps by default. */
const MAX_KNOWN = 10_000;

/**
 * Verifies as `verifyToken`, and keeps the signatures of the latest tokens that it accepted: a client sends its token
 * with every request, and computing the signature costs as much as everything else in front of the answer. A kept one is
 * compared in constant time too.
 */
export class TokenVerifier {
  readonly #keys: readonly TokenKey[];
  /** By the signed text. Nobody adds to it who has no valid token. */
  readonly #known: LRUCache<string, Buffer>;

  constructor(keys: readonly TokenKey[], maxKnown = MAX_KNOWN) {
    this.#keys = keys;
    this.#known = new LRUCache({ max: maxKnown });
  }

  /** The content of a token, or null. `now`: Unix seconds. */
  verify(token: string, now: number): TokenClaims | null {
    const parsed = parseToken(token);
    if (parsed === null) return null;
    const { text, signed } = parsed;
    const known = this.#known.get(text);
    // Another one may be right as well: that of another key.
    if (known !== undefined && timingSafeEqual(signed, known)) return unexpired(parsed, now);
    if (!isSigned(parsed, this.#keys)) return null;
    // A copy: a part of a URL would keep the whole URL.
    this.#known.set(Buffer.from(text).toString('latin1'), signed);
    return unexpired(parsed, now);
  }
}

/** A token that may be right. */
type ParsedToken = TokenClaims & {
  /** What is signed. */
  readonly text: string;
  /** Its signature, 43 bytes of text. */
  readonly signed: Buffer;
};

function parseToken(token: string): ParsedToken | null {
  if (token.length > MAX_LENGTH) return null;
  const [, text, clientId, expiration, signed] = TOKEN.exec(token) ?? [];
  if (text === undefined || signed === undefined) return null;
  return { text, signed: Buffer.from(signed), clientId: Number(clientId), expiration: Number(expiration) };
}

function unexpired({ clientId, expiration }: ParsedToken, now: number): TokenClaims | null {
  return now < expiration ? { clientId, expiration } : null;
}

/** Compares as text: a signature has several spellings in base64url, only ours is accepted. */
function isSigned({ text, signed }: ParsedToken, keys: Iterable<TokenKey>): boolean {
  for (const key of keys)
    if (timingSafeEqual(signed, Buffer.from(signature(text, key).toString('base64url')))) return true;
  return false;
}

function signature(claims: string, key: TokenKey): Buffer {
  const bytes = key instanceof Uint8Array ? key.length : (key.symmetricKeySize ?? 0);
  if (bytes < MIN_KEY_BYTES) throw new RangeError(`a key has at least ${MIN_KEY_BYTES} bytes`);
  return createHmac('sha256', key).update(claims).digest();
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
