/** Ids in arguments of commands. */
import { InvalidArgumentError } from 'commander';
import { toWholeNumber } from '#json/values.ts';
import { CommandError } from '../command.ts';
import { escapeLine } from '../values.ts';
import { parserOf } from './option-values.ts';

/** A prefix of topics: words that end with a dot each. `TOPIC_PREFIX` may lack the dot, as that of older systems. */
const NEW_PREFIX = /^(?=.{1,100}$)(?:[A-Za-z0-9_-]+\.)+$/;
const KNOWN_PREFIX = /^[A-Za-z0-9._-]{1,100}$/;

/** Parses the prefix of a system to create. */
export const parseNewPrefix = parserOf(
  NEW_PREFIX,
  'It must be a prefix that ends with a dot, as rebuilt., of letters, digits, underscore and hyphen, 100 at most.',
  String,
);

/** Parses the prefix of an existing system. */
export const parsePrefix = parserOf(
  KNOWN_PREFIX,
  'A prefix has letters, digits, dot, underscore and hyphen, 100 at most.',
  String,
);

/** Parses an id: a positive whole number. */
export function parseId(text: string): number {
  const id = toWholeNumber(text);
  if (id === null || id === 0) throw new InvalidArgumentError('An id is a positive whole number.');
  return id;
}

/** Parses an id that may be shortened: a shorter start would name by chance the only webhook or letter that there is. */
export const parseIdStart = parserOf(/^.{4}/s, 'An id may be shortened to 4 characters.', String);

/** Returns the only item whose id begins with `start`. Throws `CommandError` when there is none, or several. */
export function requireByIdStart<T extends { readonly id: string }>(
  items: readonly T[],
  start: string,
  noun: string,
): T {
  const found = items.filter(({ id }) => id.startsWith(start));
  const only = items.find(({ id }) => id === start) ?? found[0];
  if (only === undefined) throw new CommandError(`there is no ${noun} ${escapeLine(start)}`);
  if (found.length > 1 && only.id !== start)
    throw new CommandError(`${found.length} ${noun}s begin with ${escapeLine(start)}`);
  return only;
}
