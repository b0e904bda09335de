/** Errors of the token exchange (spec, "Errors"), and those that HTTP itself has. */
export const EXCHANGE_ERRORS = {
  missing_fields: { status: 400, message: 'client_id and secret_key are needed, as texts in a JSON object' },
  invalid_label: { status: 400, message: 'label must be a text of at most 256 characters' },
  invalid_credentials: { status: 403, message: 'The credentials are not accepted' },
  tenant_slug_conflict: { status: 409, message: 'The account is not set up for the tool endpoint' },
  rate_limit_exceeded: { status: 429, message: 'Too many attempts, try again later' },
  statscore_unavailable: { status: 502, message: 'The authentication service does not answer, try again' },
  method_not_allowed: { status: 405, message: 'Only POST is allowed' },
  body_too_large: { status: 413, message: 'The body is too large' },
  /** The upstream answers what no authentication service of the contract does: UPSTREAM_BASE_URL is wrong. */
  upstream_misconfigured: { status: 500, message: 'The server is not set up correctly' },
  /** The attempt could not be counted: the broker does not answer. */
  limits_unavailable: { status: 500, message: 'Server error' },
  internal_error: { status: 500, message: 'Server error' },
} as const;

export type ExchangeErrorCode = keyof typeof EXCHANGE_ERRORS;

/** An exchange that is answered with an error. Its message is that of the table: no value of the request is in it. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly code: ExchangeErrorCode;
  /** After how many seconds another attempt may be made; null where that is not known. */
  readonly retryAfter: number | null;

  constructor(code: ExchangeErrorCode, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(EXCHANGE_ERRORS[code].message, { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}
