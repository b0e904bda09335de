/** Errors of the REST contract (spec, "Errors"). */

/** Status and `internal_code` by error; 13 is the contract's own code, the others are ours. */
export const REST_ERRORS = {
  invalid_parameter: { status: 400, internalCode: 13, message: 'Invalid parameter' },
  window_gone: { status: 400, internalCode: 7, message: 'The window begins before what the feed still has' },
  unauthorized: { status: 401, internalCode: 1, message: 'Missing, expired or malformed token' },
  forbidden: { status: 403, internalCode: 2, message: 'Outside the contract' },
  not_found: { status: 404, internalCode: 4, message: 'Not found' },
  method_not_allowed: { status: 405, internalCode: 3, message: 'Only GET is allowed' },
  internal: { status: 500, internalCode: 5, message: 'Server error' },
  not_ready: { status: 503, internalCode: 6, message: 'Not ready yet' },
} as const;

export type RestErrorCode = keyof typeof REST_ERRORS;

/** An error answer to a request. Its message is the contract's: it contains no parameter and no value. */
export class RestError extends Error {
  readonly code: RestErrorCode;

  constructor(code: RestErrorCode, cause?: unknown) {
    super(REST_ERRORS[code].message, { cause });
    this.name = 'RestError';
    this.code = code;
  }
}
