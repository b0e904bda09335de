/**
 * Tokens of the REST contract (spec, "Authentication"): `v1.<client id>.<expiration>.<instance>.<signature>`, the HMAC-SHA256 of
 * the text before it. Every replica with the key can verify each.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Minimum length of a key, bytes: that of the hash. */
export const MIN_KEY_BYTES = 32;

/** The bytes of a key, or a `createSecretKey` of them, which is several times as fast. */
type TokenKey = Uint8Array | KeyObject;

type TokenClaims = {
  readonly clientId: number;
  /** Time from which the token is invalid, Unix seconds. */
  readonly expiration: number;
  /** What the token is of beside an id that may be given again, 16 hex digits: see `newInstance`. */
  readonly instance: string;
};

const INSTANCE_BYTES = 8;

/** Returns 16 random hex digits, by which a token names the one client or session that it belongs to. */
export function newInstance(): string {
  return randomBytes(INSTANCE_BYTES).toString('hex');
}

const TOKEN = /^(v1\.([1-9][0-9]{0,15})\.([1-9][0-9]{0,15})\.([0-9a-f]{16}))\.([A-Za-z0-9_-]{43})$/;
const INSTANCE = /^[0-9a-f]{16}$/;
const MAX_LENGTH = 'v1.'.length + 16 + 1 + 16 + 1 + 16 + 1 + 43;

/** Returns a token with these claims. Throws a RangeError for claims or a key that are out of range. */
export function issueToken({ clientId, expiration, instance }: TokenClaims, key: TokenKey): string {
  if (!isPositive(clientId)) throw new RangeError('a client id is a positive whole number');
  if (!isPositive(expiration)) throw new RangeError('an expiration is a positive whole number of seconds');
  if (!INSTANCE.test(instance)) throw new RangeError('an instance is 16 hex digits');
  const claims = `v1.${clientId}.${expiration}.${instance}`;
  return `${claims}.${signature(claims, key).toString('base64url')}`;
}

/** Returns the claims of a token that one of the keys has signed; null if it is malformed, of another key, or expired at `now`. */
export function verifyToken(token: string, now: number, keys: Iterable<TokenKey>): TokenClaims | null {
  const parsed = parseToken(token);
  return parsed !== null && isSigned(parsed, keys) ? unexpired(parsed, now) : null;
}

/** Default number of signatures that a verifier caches. */
const MAX_CACHED = 10_000;

/** Verifies as `verifyToken`, and caches accepted signatures, as clients send a token with every request; compared in constant time. */
export class TokenVerifier {
  readonly #keys: readonly TokenKey[];
  /** Signatures by signed text. Only valid tokens add entries. */
  readonly #cached: LRUCache<string, Buffer>;

  constructor(keys: readonly TokenKey[], maxCached = MAX_CACHED) {
    this.#keys = keys;
    this.#cached = new LRUCache({ max: maxCached });
  }

  /** Returns the claims of a token; null if it is invalid at `now`, Unix seconds. */
  verify(token: string, now: number): TokenClaims | null {
    const parsed = parseToken(token);
    if (parsed === null) return null;
    const { text, signed } = parsed;
    const cached = this.#cached.get(text);
    // A different signature may also be valid: that of another key.
    if (cached !== undefined && timingSafeEqual(signed, cached)) return unexpired(parsed, now);
    if (!isSigned(parsed, this.#keys)) return null;
    // Copied: a slice of a URL would keep the whole URL in memory.
    this.#cached.set(Buffer.from(text).toString('latin1'), signed);
    return unexpired(parsed, now);
  }
}

/** A well-formed token, not yet verified. */
type ParsedToken = TokenClaims & {
  readonly text: string;
  /** Its signature, 43 bytes of text. */
  readonly signed: Buffer;
};

function parseToken(token: string): ParsedToken | null {
  if (token.length > MAX_LENGTH) return null;
  const [, text, clientId, expiration, instance, signed] = TOKEN.exec(token) ?? [];
  if (text === undefined || instance === undefined || signed === undefined) return null;
  return {
    text,
    signed: Buffer.from(signed),
    clientId: Number(clientId),
    expiration: Number(expiration),
    instance,
  };
}

function unexpired({ clientId, expiration, instance }: ParsedToken, now: number): TokenClaims | null {
  return now < expiration ? { clientId, expiration, instance } : null;
}

/** Whether a key has signed a token. Compares text, as only one of a signature's spellings in base64url is valid. */
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
