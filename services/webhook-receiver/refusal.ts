import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { SIGNATURE_HEADER, type SignatureFault, TIMESTAMP_HEADER } from '#signing/signing.ts';

/** The outcome of a request. */
export type RequestOutcome =
  | 'accepted'
  | 'not_authentic'
  | 'too_large'
  | 'too_many'
  | 'undecodable'
  | 'unsupported'
  | 'bad_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow'
  /** Refused above a limit, before its signature was checked. */
  | 'overloaded'
  | 'not_stored'
  | 'failed';

type RefusalCode = CodeOf<'DeliveryRefusedError'>;
type RefusalAnswer = { readonly status: number; readonly outcome: RequestOutcome; readonly text: string };

const ANSWERS: Readonly<Record<RefusalCode, RefusalAnswer>> = {
  DECODED_TOO_LARGE: { status: 413, outcome: 'too_large', text: 'The decoded body is too large.' },
  UNDECODABLE: {
    status: 400,
    outcome: 'undecodable',
    text: 'The body does not decode as its Content-Encoding says.',
  },
  CHARSET: { status: 415, outcome: 'unsupported', text: 'The body must be UTF-8.' },
  TOO_MANY_MESSAGES: { status: 413, outcome: 'too_many', text: 'The body has too many messages.' },
};

/** Texts of the 401 answers. */
export const FAULT_TEXTS: Readonly<Record<SignatureFault, string>> = {
  timestamp_missing: `The header ${TIMESTAMP_HEADER} is missing.`,
  timestamp_malformed: `The header ${TIMESTAMP_HEADER} is not a positive whole number.`,
  timestamp_expired: 'The signature has expired.',
  signature_missing: `The header ${SIGNATURE_HEADER} is missing.`,
  signature_malformed: `The header ${SIGNATURE_HEADER} is not 64 lower-case hex digits.`,
  signature_mismatch: 'The signature does not match.',
};

/** A delivery of which nothing was stored, because no repetition could store it. The sender keeps its messages. */
export class DeliveryRefusedError extends defineError('DeliveryRefusedError') {
  constructor(code: RefusalCode, cause?: unknown) {
    super(code, ANSWERS[code].text, cause);
  }

  get answer(): RefusalAnswer {
    return ANSWERS[this.code];
  }
}
