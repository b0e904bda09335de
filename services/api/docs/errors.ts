import { REST_ERRORS, type RestErrorCode } from '#contract/rest/errors.ts';
import { ERRORS } from '#errors/catalogue.ts';

/** An error of the contract, with its cause and what a client does about it (spec, "Errors"). */
export type ReferenceError = {
  readonly status: number;
  readonly internalCode: number;
  readonly message: string;
  readonly cause: string;
  readonly action: string;
};

/** Every error, by status. */
export const REFERENCE_ERRORS: readonly ReferenceError[] = (
  Object.entries(ERRORS.RestError) as [RestErrorCode, readonly [string, string]][]
)
  .map(([code, [cause, action]]) => ({ ...REST_ERRORS[code], cause, action }))
  .sort((a, b) => a.status - b.status);
