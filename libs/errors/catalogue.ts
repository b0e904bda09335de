/**
 * The one registry of errors, `catalogue.json`: every class, its closed list of codes, and of each what it means and what to
 * do. A code that is not in it does not compile. docs/reference/errors.md is made of it by `npm run generate`.
 */

import type { Counter } from 'prom-client';
import errors from './catalogue.json' with { type: 'json' };

/** Name of an error class. */
export type ErrorKind = keyof typeof errors;

/** The codes of an error class. */
export type CodeOf<Kind extends ErrorKind> = Extract<{ [K in Kind]: keyof (typeof errors)[K] }[Kind], string>;

/** What a code means, and what an operator or the caller does about it. */
type ErrorEntry = readonly [meaning: string, action: string];

/** Error classes by name. */
export const ERRORS = errors as unknown as {
  readonly [Kind in ErrorKind]: Readonly<Record<CodeOf<Kind>, ErrorEntry>>;
};

/** Why something is in dead-letters, as the topic carries it. */
export type DeadLetterCode = Lowercase<CodeOf<'PoisonError'>>;

/** What each of them means. */
export const DEAD_LETTER_CODES = Object.fromEntries(
  Object.entries<ErrorEntry>(ERRORS.PoisonError).map(([code, [meaning]]) => [code.toLowerCase(), meaning]),
) as Readonly<Record<DeadLetterCode, string>>;

/** Makes the series of every code at 0: a rate of a series that begins with its first event is 0. */
export function countFromZero(counter: Counter<'code'>, codes: Iterable<string>): void {
  for (const code of codes) counter.inc({ code }, 0);
}
