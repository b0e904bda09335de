/** Ids in arguments of commands. */
import { toWholeNumber } from '#contract/values.ts';
import { CommandError, UsageError } from '../command.ts';
import { escapeLine } from '../values.ts';

/** Parses an id: a positive whole number. Throws `UsageError`. */
export function parseId(text: string): number {
  const id = toWholeNumber(text);
  if (id === null || id === 0)
    throw new UsageError(`an id is a positive whole number, not ${JSON.stringify(text)}`);
  return id;
}

/** Parses an optional id; null when it is missing. Throws `UsageError`. */
export function parseOptionalId(text: string | undefined): number | null {
  return text === undefined ? null : parseId(text);
}

/** Returns the only item whose id begins with `start`; undefined when there is none. Throws `CommandError` for several. */
export function findByIdStart<T extends { readonly id: string }>(
  items: readonly T[],
  start: string,
  noun: string,
): T | undefined {
  const found = items.filter(({ id }) => id.startsWith(start));
  if (found.length > 1) throw new CommandError(`${found.length} ${noun}s begin with ${escapeLine(start)}`);
  return found[0];
}

/** Returns the only item whose id begins with `start`. Throws `CommandError` when there is none, or several. */
export function requireByIdStart<T extends { readonly id: string }>(
  items: readonly T[],
  start: string,
  noun: string,
): T {
  const found = findByIdStart(items, start, noun);
  if (found === undefined) throw new CommandError(`there is no ${noun} ${escapeLine(start)}`);
  return found;
}
