import { TouchlineError } from '#errors/touchline-error.ts';

/** The error of `libs/embedded`: `code` for programs, `message` for people. */
export class EmbeddedError extends TouchlineError<'EmbeddedError'> {
  override readonly name = 'EmbeddedError';
}

/** Returns the message of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
