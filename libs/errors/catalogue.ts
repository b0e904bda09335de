/** The registry of errors, `catalogue.json`: classes, codes, meaning and action. `npm run generate` makes docs/reference/errors.md of it. */

import errors from './catalogue.json' with { type: 'json' };

/** Name of an error class. */
export type ErrorKind = keyof typeof errors;

/** The codes of an error class. */
export type CodeOf<Kind extends ErrorKind> = Extract<{ [K in Kind]: keyof (typeof errors)[K] }[Kind], string>;

/** The meaning of a code, and the action of an operator or the caller. */
type ErrorEntry = readonly [meaning: string, action: string];

/** Error classes by name. */
export const ERRORS = errors as unknown as {
  readonly [Kind in ErrorKind]: Readonly<Record<CodeOf<Kind>, ErrorEntry>>;
};

/** The reason of a dead letter, as on the topic. */
export type DeadLetterCode = Lowercase<CodeOf<'PoisonError'>>;

export const DEAD_LETTER_CODES: readonly string[] = Object.keys(ERRORS.PoisonError).map((code) =>
  code.toLowerCase(),
);

/** A counter of `prom-client`, without its types: packages for others contain this module. */
type CodeCounter = { inc(labels: { readonly code: string }, value: number): void };

/** Creates the series of every code with the value 0, since a rate misses the first event of a series that begins with it. */
export function countFromZero(counter: CodeCounter, codes: Iterable<string>): void {
  for (const code of codes) counter.inc({ code }, 0);
}
