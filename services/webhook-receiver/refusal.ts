import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';
import { SIGNATURE_HEADER, type SignatureFault, TIMESTAMP_HEADER } from '#signing/signing.ts';

/** An answer, of one line of text; its outcome is counted. */
export type ReceiverAnswer = {
  readonly status: number;
  readonly outcome: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const RETRY = { 'retry-after': '1' };

/** Answers without a value of their request. `overloaded`: refused above a limit, before its signature was checked. */
export const ANSWERS = {
  accepted: { status: 200, outcome: 'accepted', text: 'Accepted' },
  unknown_coding: {
    status: 415,
    outcome: 'unsupported',
    text: 'This Content-Encoding is not supported.',
    headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
  },
  not_utf8: { status: 415, outcome: 'unsupported', text: 'The body must be UTF-8.' },
  not_found: { status: 404, outcome: 'not_found', text: 'Not found.' },
  not_stored: { status: 503, outcome: 'not_stored', text: 'Not stored, repeat it.', headers: RETRY },
  failed: { status: 500, outcome: 'failed', text: 'Failed, repeat it.' },
  overloaded: { status: 503, outcome: 'overloaded', text: 'Overloaded, repeat it.', headers: RETRY },
  method_not_allowed: {
    status: 405,
    outcome: 'method_not_allowed',
    text: 'Only POST is allowed.',
    headers: { allow: 'POST' },
  },
} as const satisfies Readonly<Record<string, ReceiverAnswer>>;

type RefusalCode = CodeOf<'DeliveryRefusedError'>;

const REFUSALS: Readonly<Record<RefusalCode, ReceiverAnswer>> = {
  DECODED_TOO_LARGE: { status: 413, outcome: 'too_large', text: 'The decoded body is too large.' },
  UNDECODABLE: {
    status: 400,
    outcome: 'undecodable',
    text: 'The body does not decode as its Content-Encoding says.',
  },
  CHARSET: ANSWERS.not_utf8,
  TOO_MANY_MESSAGES: { status: 413, outcome: 'too_many', text: 'The body has too many messages.' },
};

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
    super(code, REFUSALS[code].text, cause);
  }

  get answer(): ReceiverAnswer {
    return REFUSALS[this.code];
  }
}
