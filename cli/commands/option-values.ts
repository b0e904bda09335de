/** Parses times, counts and event ids in arguments. They throw commander's `InvalidArgumentError`. */
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../command.ts';
import { escapeLine } from '../values.ts';

/** A date with a time and a zone. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const UNIX_MILLISECONDS = /^\d{12,14}$/;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as 90s, 30m, 2h or 7d into milliseconds; null when the text is no duration. */
function durationMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** Parses a duration above zero into milliseconds. */
export function parseDuration(text: string): number {
  const ms = durationMs(text);
  if (ms === null || ms === 0) throw new InvalidArgumentError('It is a time as 90s, 30m, 12h or 7d.');
  return ms;
}

/** Parses a moment into Unix milliseconds. */
export function parseMoment(text: string): number {
  const isUnix = UNIX_MILLISECONDS.test(text);
  const time = isUnix ? Number(text) : ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a moment as 2026-11-21T18:00:00Z.');
  return time;
}

/** Parses a moment that has passed, or a duration before now, into Unix milliseconds. */
export function parsePastTime(text: string): number {
  const ago = durationMs(text);
  const time = ago === null ? parseMoment(text) : Date.now() - ago;
  if (time > Date.now()) throw new InvalidArgumentError('It is in the future.');
  return time;
}

/** Returns a parser of a number of things, from 1. */
export function parseCount(max = 9_999): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < 1 || count > max)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
    return count;
  };
}

export const parseEventId = parserOf(/^\d{1,15}$/, 'Name one match by its event id.', Number);

/** Returns a parser of texts that have a form, which answers `problem` to all others. */
export function parserOf<T>(form: RegExp, problem: string, convert: (text: string) => T) {
  return (text: string): T => {
    if (form.test(text)) return convert(text);
    throw new InvalidArgumentError(problem);
  };
}

/** Parses a prefix of topics: words that end with a dot each. `TOPIC_PREFIX` may lack the dot, as that of older systems. */
export const parseNewPrefix = parserOf(
  /^(?=.{1,100}$)(?:[A-Za-z0-9_-]+\.)+$/,
  'It must be a prefix that ends with a dot, as rebuilt., of letters, digits, underscore and hyphen, 100 at most.',
  String,
);

export const parsePrefix = parserOf(
  /^[A-Za-z0-9._-]{1,100}$/,
  'A prefix has letters, digits, dot, underscore and hyphen, 100 at most.',
  String,
);

export const parseId = parserOf(/^[1-9]\d{0,14}$/, 'An id is a positive whole number.', Number);

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
