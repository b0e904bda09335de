import type { CodeOf, ErrorKind } from './catalogue.ts';

/**
 * An error of Touchline: `code` for programs, one of its class's codes, `message` for people, and `cause` if there is one. Every
 * error class of the tree extends it; docs/reference/errors.md lists all codes.
 */
export abstract class TouchlineError<Kind extends ErrorKind = ErrorKind> extends Error {
  abstract override readonly name: Kind;
  readonly code: CodeOf<Kind>;

  constructor(code: CodeOf<Kind>, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  /** The code in lower case, as on topics, in labels of metrics and in HTTP answers. */
  get published(): Lowercase<CodeOf<Kind>> {
    return this.code.toLowerCase() as Lowercase<CodeOf<Kind>>;
  }
}

/** Returns the message of a thrown value. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * A message or record that can never be used: it becomes a dead letter with this code. The error's message is one line, without
 * values of the record.
 */
export class PoisonError extends TouchlineError<'PoisonError'> {
  override readonly name = 'PoisonError';
}
