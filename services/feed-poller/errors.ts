/** Why the provider gave no usable answer. */
export type ProviderErrorCode =
  /** It refused two tokens, the second one new. */
  | 'unauthorized'
  /** It refuses the client id or the secret. */
  | 'credentials'
  /** 403: outside the contract. */
  | 'forbidden'
  /** 404. */
  | 'not_found'
  /** Any other 4xx: it would refuse the same request again. */
  | 'rejected'
  /** 5xx. */
  | 'server_error'
  /** No connection, or it broke. */
  | 'unreachable'
  | 'timeout'
  /** 3xx: a redirect is never followed, for it would carry the token elsewhere. */
  | 'redirected'
  /** Not JSON, or not the envelope of the contract. */
  | 'bad_answer'
  /** Longer than `RESPONSE_LIMIT`. */
  | 'too_large'
  /** A list changed while its pages were read, in every attempt. */
  | 'inconsistent'
  /** The request was cancelled: the poller stops or no longer leads. */
  | 'stopped';

/**
 * A request to the provider that failed. It has no cause and names no address: an error of the HTTP client may hold the
 * URL, and the URL holds the token.
 */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  /** As `events.index`. */
  readonly operation: string;

  constructor(code: ProviderErrorCode, operation: string, detail: string) {
    super(`${operation}: ${detail}`);
    this.name = 'ProviderError';
    this.code = code;
    this.operation = operation;
  }
}

/** Whether an error is one of the provider's with one of these codes. */
export function isProviderError(error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError {
  return error instanceof ProviderError && codes.includes(error.code);
}
