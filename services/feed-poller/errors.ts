import type { CodeOf } from '#errors/catalogue.ts';
import { TouchlineError } from '#errors/touchline-error.ts';

/** The reason why a request to the provider failed. */
export type ProviderErrorCode = CodeOf<'ProviderError'>;

/**
 * Thrown when a request to the provider fails. It has no cause and names no address: an error of the HTTP client may hold
 * the URL, and the URL holds the token.
 */
export class ProviderError extends TouchlineError<'ProviderError'> {
  override readonly name = 'ProviderError';

  /** `operation`: its name in the contract, such as `events.index`. */
  constructor(code: ProviderErrorCode, operation: string, detail: string) {
    super(code, `${operation}: ${detail}`);
  }
}

/** Whether an error is a `ProviderError` with one of these codes. */
export function isProviderError(error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError {
  return error instanceof ProviderError && codes.includes(error.code);
}
