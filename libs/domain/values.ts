/** Reads values of the provider's JSON: one that is unreadable or out of range is unknown (null), never a guess or an error. */

import { INT_MAX } from '#json/values.ts';

const DIGITS = /^-?\d{1,16}$/;

/** Returns a safe integer, given as a number or as text; null for anything else. */
export function long(value: unknown): number | null {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  // `+ 0` turns -0 into 0: both are the same value on a topic.
  return Number.isSafeInteger(number) ? (number as number) + 0 : null;
}

/** Returns a 32-bit integer, given as a number or as text; null for anything else. */
export function int(value: unknown): number | null {
  const number = long(value);
  return Math.abs(number ?? 0) <= INT_MAX ? number : null;
}

/** Returns an id of the provider; null for 0, which it writes when there is no stage, group or person. */
export function positiveId(id: number | null): number | null {
  return (id ?? 0) > 0 ? id : null;
}

/** Returns a count, such as a number of goals: a 32-bit integer that is not negative; null for anything else. */
export function count(value: unknown): number | null {
  const number = int(value);
  return (number ?? 0) >= 0 ? number : null;
}

/** Returns a text unchanged; null for anything else. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns an object, to read its fields; null for anything else, arrays included. */
export function object(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown> | null)
    : null;
}

/** Returns a list; an empty one for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
