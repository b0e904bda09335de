/**
 * The one registry of errors: every class, its closed list of codes, and of each what it means and what to do.
 * A code that is not in it does not compile. docs/reference/errors.md is made of it by `npm run generate`.
 */

import type { Counter } from 'prom-client';
import { CONTRACT_ERRORS } from './catalogue/contract.ts';
import { PLATFORM_ERRORS } from './catalogue/platform.ts';
import { CLI_ERRORS, SERVICE_ERRORS } from './catalogue/services.ts';
import { STREAM_ERRORS } from './catalogue/streams.ts';
import { TOPIC_ERRORS } from './catalogue/topics.ts';

/** What a code means, and what an operator or the caller does about it. */
type ErrorEntry = readonly [meaning: string, action: string];

/** The codes of error classes with their entries. */
export type ErrorCodes = Readonly<Record<string, Readonly<Record<Uppercase<string>, ErrorEntry>>>>;

/** Error classes by name. */
export const ERRORS = {
  ...STREAM_ERRORS,
  ...TOPIC_ERRORS,
  ...CONTRACT_ERRORS,
  ...SERVICE_ERRORS,
  ...PLATFORM_ERRORS,
  ...CLI_ERRORS,
} as const satisfies ErrorCodes;

/** Name of an error class. */
export type ErrorKind = keyof typeof ERRORS;

/** The codes of an error class. */
export type CodeOf<Kind extends ErrorKind> = Extract<{ [K in Kind]: keyof (typeof ERRORS)[K] }[Kind], string>;

/** Why something is in dead-letters, as the topic carries it. */
export type DeadLetterCode = Lowercase<CodeOf<'PoisonError'>>;

/** What each of them means. */
export const DEAD_LETTER_CODES = Object.fromEntries(
  Object.entries(ERRORS.PoisonError).map(([code, [meaning]]) => [code.toLowerCase(), meaning]),
) as Readonly<Record<DeadLetterCode, string>>;

/** Makes the series of every code at 0: a rate of a series that begins with its first event is 0. */
export function countFromZero(counter: Counter<'code'>, codes: Iterable<string>): void {
  for (const code of codes) counter.inc({ code }, 0);
}
