import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';

/** Errors of the token exchange (spec, "Errors"), and those of HTTP itself. */
export const EXCHANGE_ERRORS = {
  MISSING_FIELDS: {
    status: 400,
    message: 'client_id and secret_key are required, as strings in a JSON object',
  },
  INVALID_LABEL: { status: 400, message: 'label must be a string of at most 256 characters' },
  INVALID_CREDENTIALS: { status: 403, message: 'The credentials are not accepted' },
  TENANT_SLUG_CONFLICT: { status: 409, message: 'The account is not set up for the tool endpoint' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many attempts, try again later' },
  STATSCORE_UNAVAILABLE: { status: 502, message: 'The authentication service does not answer, try again' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Only POST is allowed' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is too large' },
  /** The upstream's answer is outside the contract: UPSTREAM_BASE_URL is wrong. */
  UPSTREAM_MISCONFIGURED: { status: 500, message: 'The server is not set up correctly' },
  INTERNAL_ERROR: { status: 500, message: 'Server error' },
} as const satisfies Record<CodeOf<'ExchangeError'>, object>;

export type ExchangeErrorCode = keyof typeof EXCHANGE_ERRORS;

/** Thrown to answer an exchange with an error. Its message is from the table, and contains no value of the request. */
export class ExchangeError extends defineError('ExchangeError') {
  /** Seconds until another attempt may be admitted; null if unknown. */
  readonly retryAfter: number | null;

  constructor(code: ExchangeErrorCode, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(code, EXCHANGE_ERRORS[code].message, options.cause);
    this.retryAfter = options.retryAfter ?? null;
  }
}
