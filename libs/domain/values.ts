/** Reads values of the provider's JSON: one that is unreadable or out of range is unknown (null), never a guess or an error. */
import { INT_MAX, isWhole } from '#json/values.ts';

/** Returns an id of the provider; null for 0, which it writes when there is no stage, group or person. */
export function positiveId(id: number | null): number | null {
  return id !== null && id > 0 ? id : null;
}

/** Returns a count, such as a number of goals, which a text is: a 32-bit integer that is not negative; null for anything else. */
export function count(value: string | null | undefined): number | null {
  return isWhole(value, INT_MAX) ? Number(value) : null;
}

/** Returns a text unchanged; null for anything else. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns an object, to read its fields; null for anything else, arrays included. */
export function object(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
