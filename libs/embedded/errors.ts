import { defineError } from '#errors/touchline-error.ts';

/** The error of `libs/embedded`: `code` for programs, `message` for people. */
export class EmbeddedError extends defineError('EmbeddedError') {}

/** Returns what a failed command wrote to stderr; '' for other errors. */
export function stderrOf(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
}
