import { TouchlineError } from '#errors/touchline-error.ts';

/** An error of `libs/embedded`: `code` for programs, `message` for people, `cause` where there is one. */
export class EmbeddedError extends TouchlineError<'EmbeddedError'> {
  override readonly name = 'EmbeddedError';
}

/** The message of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
