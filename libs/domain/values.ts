/**
 * Lenient readers for the provider's loosely typed fields: an unreadable value is unknown (null), never a guess and
 * never an error. Numbers outside the range of the topic's type are unknown too.
 */

const INT_MAX = 2 ** 31 - 1;
const DIGITS = /^-?\d{1,16}$/;

/** An integer, also written as text, within 64-bit safe range. */
export function long(value: unknown): number | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  // `+ 0` turns -0 into 0: both are the same value on a topic.
  return typeof number === 'number' && Number.isSafeInteger(number) ? number + 0 : null;
}

/** An integer, also written as text, within 32-bit range. */
export function int(value: unknown): number | null {
  const number = long(value);
  return number !== null && number <= INT_MAX && number >= -INT_MAX ? number : null;
}

/** A number of goals: an integer that is not negative. */
export function count(value: unknown): number | null {
  const number = int(value);
  return number !== null && number >= 0 ? number : null;
}

/** A text as it is; anything else is unknown. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An object whose fields may be read; null for everything else, arrays included. */
export function object(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A list; any other value gives an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
