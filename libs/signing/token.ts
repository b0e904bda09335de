/**
 * Tokens of the REST contract (spec, "Authentication"): `v1.<client id>.<expiration>.<instance>.<signature>`, the HMAC-SHA256 of
 * the text before it. Every replica with the key can verify each.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

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

/** Returns a token with these claims. Throws a RangeError for claims or a key that are out of range. */
export function issueToken({ clientId, expiration, instance }: TokenClaims, key: TokenKey): string {
  if (!isPositive(clientId)) throw new RangeError('a client id is a positive whole number');
  if (!isPositive(expiration)) throw new RangeError('an expiration is a positive whole number of seconds');
  if (!INSTANCE.test(instance)) throw new RangeError('an instance is 16 hex digits');
  const claims = `v1.${clientId}.${expiration}.${instance}`;
  return `${claims}.${signature(claims, key).toString('base64url')}`;
}

/** Returns the claims of a token that one of the keys has signed; null if it is malformed, of another key, or expired at `now`, Unix seconds. */
export function verifyToken(token: string, now: number, keys: Iterable<TokenKey>): TokenClaims | null {
  const [, text, clientId, expiration, instance, signed] = TOKEN.exec(token) ?? [];
  if (text === undefined || instance === undefined || signed === undefined) return null;
  // Compares text, as only one of a signature's spellings in base64url is valid.
  const isSigned = Iterator.from(keys).some((key) =>
    timingSafeEqual(Buffer.from(signed), Buffer.from(signature(text, key).toString('base64url'))),
  );
  if (!isSigned || now >= Number(expiration)) return null;
  return { clientId: Number(clientId), expiration: Number(expiration), instance };
}

function signature(claims: string, key: TokenKey): Buffer {
  const bytes = key instanceof Uint8Array ? key.length : (key.symmetricKeySize ?? 0);
  if (bytes < MIN_KEY_BYTES) throw new RangeError(`a key has at least ${MIN_KEY_BYTES} bytes`);
  return createHmac('sha256', key).update(claims).digest();
}

function isPositive(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
