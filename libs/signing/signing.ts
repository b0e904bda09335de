/**
 * Signatures of webhook deliveries (spec, "Authentication", rule 8): HMAC-SHA256, as lower-case hex, of the exact raw
 * body + "." + the value of the expiration header, keyed with the 32-character secret that both sides know.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Unix seconds at which a delivery's signature expires. */
export const TIMESTAMP_HEADER = 'x-signature-expiration-timestamp';

/** The signature. */
export const SIGNATURE_HEADER = 'x-signature-sha256';

/** Characters of a secret. */
export const SECRET_LENGTH = 32;

/** What the headers of a delivery say; undefined where one is missing. */
export type SignatureHeaders = {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
};

/** Why a delivery is not authentic, in the order in which it is checked. */
export type SignatureFault =
  | 'timestamp_missing'
  /** Not a positive whole number in plain decimal digits. */
  | 'timestamp_malformed'
  | 'timestamp_expired'
  | 'signature_missing'
  /** Not 64 lower-case hex digits. */
  | 'signature_malformed'
  /** Another body, another timestamp or another secret. */
  | 'signature_mismatch';

/** The verdict on a delivery. */
export type Verdict = 'ok' | SignatureFault;

/** Signs a body for delivery. `timestamp` is the value of the expiration header, as it will be sent. */
export function sign(body: Uint8Array, timestamp: string, secret: string): string {
  return digest(body, timestamp, secret).toString('hex');
}

/**
 * Whether a delivery is authentic: signed with one of `secrets` (two while they are rotated) and not expired.
 * `nowMs` is Unix milliseconds. Checks the timestamp before it computes anything. Throws on no input.
 */
export function verify(
  body: Uint8Array,
  headers: SignatureHeaders,
  secrets: readonly string[],
  nowMs: number,
): Verdict {
  const { timestamp, signature } = headers;
  if (timestamp === undefined) return 'timestamp_missing';
  if (!/^[1-9][0-9]{0,15}$/.test(timestamp) || !Number.isSafeInteger(Number(timestamp))) {
    return 'timestamp_malformed';
  }
  if (Number(timestamp) < Math.floor(nowMs / 1000)) return 'timestamp_expired';
  if (signature === undefined) return 'signature_missing';
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'signature_malformed';
  const claimed = Buffer.from(signature, 'hex');
  // All secrets are tried, so that the time taken does not tell which one matched.
  let matches = 0;
  for (const secret of secrets) matches += Number(timingSafeEqual(claimed, digest(body, timestamp, secret)));
  return matches > 0 ? 'ok' : 'signature_mismatch';
}

function digest(body: Uint8Array, timestamp: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).update(`.${timestamp}`).digest();
}
