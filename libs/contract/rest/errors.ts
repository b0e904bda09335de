import type { CodeOf } from '#errors/catalogue.ts';
import { defineError } from '#errors/touchline-error.ts';

/** Status and `internal_code` of each error. The contract defines 13 only; the others are ours. */
export const REST_ERRORS = {
  INVALID_PARAMETER: { status: 400, internalCode: 13, message: 'Invalid parameter' },
  WINDOW_GONE: { status: 400, internalCode: 7, message: 'The window begins before what the feed still has' },
  UNAUTHORIZED: { status: 401, internalCode: 1, message: 'Missing, expired or malformed token' },
  FORBIDDEN: { status: 403, internalCode: 2, message: 'Outside the contract' },
  NOT_FOUND: { status: 404, internalCode: 4, message: 'Not found' },
  NOT_SERVED: {
    status: 404,
    internalCode: 8,
    message: 'Not found here: this server serves some competitions only',
  },
  METHOD_NOT_ALLOWED: { status: 405, internalCode: 3, message: 'Only GET is allowed' },
  INTERNAL: { status: 500, internalCode: 5, message: 'Server error' },
  NOT_READY: { status: 503, internalCode: 6, message: 'Not ready yet' },
} as const satisfies Record<CodeOf<'RestError'>, object>;

export type RestErrorCode = keyof typeof REST_ERRORS;

/** An error answer to a request. The message repeats no parameter and no value of the request. */
export class RestError extends defineError('RestError') {
  /** `message`: one that says more than the message of `code`. */
  constructor(code: RestErrorCode, message: string = REST_ERRORS[code].message) {
    super(code, message);
  }
}
