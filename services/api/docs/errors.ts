import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';

/** An error of the contract, with its cause and what a client does about it (spec, "Errors"). */
export type ReferenceError = {
  readonly status: number;
  readonly internalCode: number;
  readonly message: string;
  readonly cause: string;
  readonly action: string;
};

const ADVICE: Readonly<Record<RestErrorCode, readonly [cause: string, action: string]>> = {
  invalid_parameter: [
    'A parameter is missing, unknown in value, sent twice or out of its range: `limit` outside its list, dates too far apart, `object_type` without `object_id`. The answer does not say which one.',
    'Do not repeat it unchanged.',
  ],
  unauthorized: [
    'No token, an expired or malformed one, or wrong credentials.',
    'Get a new token and repeat once.',
  ],
  forbidden: ['The competition or the operation is outside your contract.', 'Stop asking for it.'],
  not_found: ['Unknown id or path.', 'Drop it.'],
  method_not_allowed: ['A method other than GET or HEAD.', 'Use GET.'],
  window_gone: [
    'A window of the feed that begins before its retention: its messages are no longer kept.',
    'Ask for a later window. What is missed is in the lists of events and their incidents.',
  ],
  internal: ['A fault of the server.', 'Repeat with exponential backoff.'],
  not_ready: [
    'The server is still reading what it missed while it was down.',
    'Repeat after the seconds that the header Retry-After says.',
  ],
};

/** Every error, by status. */
export const REFERENCE_ERRORS: readonly ReferenceError[] = (
  Object.entries(ADVICE) as [RestErrorCode, readonly [string, string]][]
)
  .map(([code, [cause, action]]) => ({ ...REST_ERRORS[code], cause, action }))
  .sort((a, b) => a.status - b.status);
