import { toWholeNumber } from '#contract/values.ts';
import { UsageError } from '../command.ts';

/** A date with a time and a zone, or whole Unix milliseconds. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const MILLISECONDS = /^\d{12,14}$/;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as 90s, 30m, 2h or 7d, in milliseconds; null where the text is none. */
export function durationMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** A moment of the command line as Unix milliseconds. Throws `UsageError`. */
export function momentOf(option: string, text: string): number {
  const time = MILLISECONDS.test(text) ? Number(text) : ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`${option} must be a moment as 2026-11-21T18:00:00Z, not ${JSON.stringify(text)}`);
  return time;
}

/** The same, null where it is not given. */
export function parseMoment(option: string, text: string | undefined): number | null {
  return text === undefined ? null : momentOf(option, text);
}

/** A moment, or a duration for so long before `now`, as Unix milliseconds. Throws `UsageError`. */
export function timeOf(option: string, text: string, now: number): number {
  const ago = durationMs(text);
  return ago === null ? momentOf(option, text) : now - ago;
}

/** The same, not after `now`. */
export function pastMoment(option: string, text: string, now: number): number {
  const time = timeOf(option, text, now);
  if (time > now) throw new UsageError(`${option} is in the future`);
  return time;
}

/** An id: a positive whole number. Throws `UsageError`. */
export function idOf(text: string): number {
  const id = toWholeNumber(text);
  if (id === null || id === 0)
    throw new UsageError(`an id is a positive whole number, not ${JSON.stringify(text)}`);
  return id;
}

/** The value of an option that is a number of things, from 1; undefined where it is not given. Throws `UsageError`. */
export function parseCount(option: string, text: string | undefined, most = 9_999): number | undefined {
  const count = Number(text);
  if (text !== undefined && (!/^\d+$/.test(text) || count < 1 || count > most))
    throw new UsageError(`--${option} must be a whole number from 1 to ${most}`);
  return text === undefined ? undefined : count;
}
