/**
 * The one registry of errors: every class, its closed list of codes, and of each what it means and what to do.
 * A code that is not in it does not compile. docs/reference/errors.md is made of it by `npm run generate`.
 */
import { CLI_ERRORS } from './catalogue/cli.ts';
import { CONTRACT_ERRORS } from './catalogue/contract.ts';
import type { ErrorCodes } from './catalogue/entry.ts';
import { PLATFORM_ERRORS } from './catalogue/platform.ts';
import { SERVICE_ERRORS } from './catalogue/services.ts';
import { STREAM_ERRORS } from './catalogue/streams.ts';
import { TOPIC_ERRORS } from './catalogue/topics.ts';

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
