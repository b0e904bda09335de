import type { CodeOf } from '#errors/catalogue.ts';
import { TouchlineError } from '#errors/touchline-error.ts';

/** Why the provider gave no usable answer. */
export type ProviderErrorCode = CodeOf<'ProviderError'>;

/**
 * A request to the provider that failed. It has no cause and names no address: an error of the HTTP client may hold the
 * URL, and the URL holds the token.
 */
export class ProviderError extends TouchlineError<'ProviderError'> {
  override readonly name = 'ProviderError';

  /** `operation`: as `events.index`. */
  constructor(code: ProviderErrorCode, operation: string, detail: string) {
    super(code, `${operation}: ${detail}`);
  }
}

/** Whether an error is one of the provider's with one of these codes. */
export function isProviderError(error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError {
  return error instanceof ProviderError && codes.includes(error.code);
}
