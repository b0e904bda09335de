/**
 * Signatures of webhook deliveries (spec, "Authentication", rule 8): HMAC-SHA256, as lower-case hex, of the exact raw
 * body + "." + the value of the expiration header, keyed with the 32-character secret shared by both sides.
 */
import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

/** Unix seconds at which a delivery's signature expires. */
export const TIMESTAMP_HEADER = 'x-signature-expiration-timestamp';

export const SIGNATURE_HEADER = 'x-signature-sha256';

export const SECRET_LENGTH = 32;

/** How long the signature of a delivery is valid: a receiver rejects what is older than about five minutes. */
export const VALID_SECONDS = 300;

/** An expiration further ahead is refused: the validity, and as much again for clocks that differ. */
const MAX_AHEAD_SECONDS = 2 * VALID_SECONDS;

/** What the headers of a delivery say; undefined where one is missing. */
export type SignatureHeaders = {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
};

/** Why a delivery is not authentic, in the order of the checks. */
export type SignatureFault =
  | 'timestamp_missing'
  /** Not a positive whole number in plain decimal digits. */
  | 'timestamp_malformed'
  | 'timestamp_expired'
  /** More than ten minutes ahead: whoever copies such a delivery could repeat it for as long. */
  | 'timestamp_too_far'
  | 'signature_missing'
  /** Not 64 lower-case hex digits. */
  | 'signature_malformed'
  /** The body, the timestamp or the secret differs. */
  | 'signature_mismatch';

export type SignatureVerdict = 'ok' | SignatureFault;

/** Signs a body for delivery. `timestamp` is the value of the expiration header, as it will be sent. */
export function sign(body: Uint8Array, timestamp: string, secret: string): string {
  return createHmac('sha256', secret).update(body).update(`.${timestamp}`).digest('hex');
}

/** The headers that a delivery is sent with. `nowMs` is Unix milliseconds; the signature expires `validSeconds` later. */
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
 * Whether a delivery is authentic: signed with one of `secrets` (two during a rotation) and not expired. `nowMs` is Unix
 * milliseconds. Checks the timestamp before it computes anything. Never throws.
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

/** The fault of a delivery's headers, else the check of its body: `verify` before the body has arrived. */
export function checkSignature(
  { timestamp, signature }: SignatureHeaders,
  secrets: readonly string[],
  nowMs: number,
): SignatureCheck | SignatureFault {
  if (timestamp === undefined) return 'timestamp_missing';
  if (!/^[1-9][0-9]{0,15}$/.test(timestamp) || !Number.isSafeInteger(Number(timestamp))) {
    return 'timestamp_malformed';
  }
  const ahead = Number(timestamp) - Math.floor(nowMs / 1000);
  if (ahead < 0) return 'timestamp_expired';
  if (ahead > MAX_AHEAD_SECONDS) return 'timestamp_too_far';
  if (signature === undefined) return 'signature_missing';
  if (!/^[0-9a-f]{64}$/.test(signature)) return 'signature_malformed';
  return new SignatureCheck(timestamp, Buffer.from(signature, 'hex'), secrets);
}

/** Checks the body of one delivery, which may arrive in parts; stores none of them. */
export class SignatureCheck {
  readonly #timestamp: string;
  readonly #claimed: Buffer;
  readonly #hmacs: readonly Hmac[];

  constructor(timestamp: string, claimed: Buffer, secrets: readonly string[]) {
    this.#timestamp = timestamp;
    this.#claimed = claimed;
    this.#hmacs = secrets.map((secret) => createHmac('sha256', secret));
  }

  /** The next bytes of the body. */
  update(bytes: Uint8Array): void {
    for (const hmac of this.#hmacs) hmac.update(bytes);
  }

  /** Whether the body was signed with one of the secrets. Call it once, after the last part. */
  matches(): boolean {
    // Tries all secrets, so that the time taken does not reveal which one matched.
    let matches = 0;
    for (const hmac of this.#hmacs) {
      const digest = hmac.update(`.${this.#timestamp}`).digest();
      matches += Number(timingSafeEqual(this.#claimed, digest));
    }
    return matches > 0;
  }
}
