import type { CodeOf, ErrorKind } from './catalogue.ts';

/** An error of Touchline: `code` for programs, `message` for people, `cause` if any. docs/reference/errors.md lists all codes. */
export abstract class TouchlineError<Kind extends ErrorKind = ErrorKind> extends Error {
  declare readonly name: Kind;
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

type ErrorParts<Kind extends ErrorKind> = readonly [code: CodeOf<Kind>, message: string, cause?: unknown];

type ErrorClass<Kind extends ErrorKind, Args extends readonly unknown[]> = new (
  ...args: Args
) => TouchlineError<Kind>;

/**
 * Defines the class of an error of the catalogue: `class SealError extends defineError('SealError', 'SEAL_BROKEN') {}`. Its arguments
 * are code, message and cause; those after a code that is given; or those of a function that returns the three.
 */
export function defineError<Kind extends ErrorKind, Args extends readonly unknown[]>(
  kind: Kind,
  partsOf: (...args: Args) => ErrorParts<Kind>,
): ErrorClass<Kind, Args>;
export function defineError<Kind extends ErrorKind>(
  kind: Kind,
): ErrorClass<Kind, [code: CodeOf<Kind>, message: string, cause?: unknown]>;
export function defineError<Kind extends ErrorKind>(
  kind: Kind,
  code: CodeOf<Kind>,
): ErrorClass<Kind, [message: string, cause?: unknown]>;
export function defineError<Kind extends ErrorKind>(
  kind: Kind,
  given?: CodeOf<Kind> | ((...args: readonly unknown[]) => ErrorParts<Kind>),
): ErrorClass<Kind, readonly unknown[]> {
  return class extends TouchlineError<Kind> {
    override readonly name = kind;

    constructor(...args: readonly unknown[]) {
      const parts =
        typeof given === 'function' ? given(...args) : given === undefined ? args : [given, ...args];
      super(...(parts as ErrorParts<Kind>));
    }
  };
}

/** Returns the message of a thrown value. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns an error and its causes; nothing for another value. */
export function causesOf(error: unknown): (Error & { readonly code?: unknown; readonly errno?: unknown })[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** A message or record that can never be used: it becomes a dead letter with this code. The message holds no value of the record. */
export class PoisonError extends defineError('PoisonError') {}
