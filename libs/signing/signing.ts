/** Signatures of webhook deliveries (spec, "Authentication", rule 8): HMAC-SHA256 of the raw body, a dot and the expiration header. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header with the time at which the signature expires, Unix seconds. */
export const TIMESTAMP_HEADER = 'x-signature-expiration-timestamp';

export const SIGNATURE_HEADER = 'x-signature-sha256';

export const SECRET_LENGTH = 32;

/** Validity of a delivery's signature: receivers reject deliveries older than about five minutes. */
export const VALID_SECONDS = 300;

/** The values of a delivery's headers; undefined for a missing one. */
export type SignatureHeaders = {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
};

/** The reason why a delivery is not authentic, in the order of the checks. */
export type SignatureFault =
  | 'timestamp_missing'
  /** Not a positive whole number in plain decimal digits. */
  | 'timestamp_malformed'
  | 'timestamp_expired'
  | 'signature_missing'
  /** Not 64 lower-case hex digits. */
  | 'signature_malformed'
  /** The body, the timestamp or the secret differs. */
  | 'signature_mismatch';

export type SignatureVerdict = 'ok' | SignatureFault;

/** Returns the signature of a body. `timestamp`: the value of the expiration header. */
export function sign(body: Uint8Array, timestamp: string, secret: string): string {
  return createHmac('sha256', secret).update(body).update(`.${timestamp}`).digest('hex');
}

/** Returns the signature headers of a delivery. The signature expires `validSeconds` after `nowMs`, Unix milliseconds. */
export function signatureHeaders(
  body: Uint8Array,
  secret: string,
  nowMs: number,
  validSeconds = VALID_SECONDS,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000) + validSeconds);
  return { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: sign(body, timestamp, secret) };
}

/**
 * Verifies that a delivery is signed with one of `secrets` and not expired at `nowMs`, Unix milliseconds; the time first. Never
 * throws. An expiration may be any time ahead: a copy changes nothing.
 */
export function verify(
  body: Uint8Array,
  headers: SignatureHeaders,
  secrets: readonly string[],
  nowMs: number,
): SignatureVerdict {
  const check = checkSignature(headers, secrets, nowMs);
  if (typeof check === 'string') return check;
  check.update(body);
  return check.matches() ? 'ok' : 'signature_mismatch';
}

/** As `verify`, before the body has arrived: returns the fault of the headers, or the check for the body. */
export function checkSignature(
  { timestamp, signature }: SignatureHeaders,
  secrets: readonly string[],
  nowMs: number,
): SignatureCheck | SignatureFault {
  if (timestamp === undefined) return 'timestamp_missing';
  if (!/^[1-9][0-9]{0,15}$/.test(timestamp) || !Number.isSafeInteger(Number(timestamp))) {
    return 'timestamp_malformed';
  }
  if (Number(timestamp) < Math.floor(nowMs / 1000)) return 'timestamp_expired';
  if (signature === undefined) return 'signature_missing';
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'signature_malformed';
  return signatureCheck(timestamp, Buffer.from(signature, 'hex'), secrets);
}

/** The check of one delivery's body, which may arrive in parts; it stores none of them. */
export type SignatureCheck = ReturnType<typeof signatureCheck>;

function signatureCheck(timestamp: string, claimed: Buffer, secrets: readonly string[]) {
  const hmacs = secrets.map((secret) => createHmac('sha256', secret));
  const update = (bytes: Uint8Array): void => hmacs.forEach((hmac) => void hmac.update(bytes));
  return {
    update,
    /** Whether the body was signed with one of the secrets. Call once, after the last part. */
    matches(): boolean {
      update(Buffer.from(`.${timestamp}`));
      // Tries all secrets, so that the time taken does not reveal which one matched.
      return hmacs.filter((hmac) => timingSafeEqual(claimed, hmac.digest())).length > 0;
    },
    /** Whether these bytes, another form of the body, were signed with one of the secrets. */
    matchesInstead(bytes: Uint8Array): boolean {
      const check = signatureCheck(timestamp, claimed, secrets);
      check.update(bytes);
      return check.matches();
    },
  };
}
