/** Parses times, counts and topics in the values of options. All but `durationMs` throw `UsageError`. */
import type { AcceptedTopics } from '#topics/admin.ts';
import { IDENTIFIED } from '#topics/topic-ids.ts';
import type { TopicName } from '#topics/topics.ts';
import { UsageError } from '../command.ts';

/** A date with a time and a zone. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const UNIX_MILLISECONDS = /^\d{12,14}$/;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as 90s, 30m, 2h or 7d into milliseconds; null when the text is no duration. */
export function durationMs(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_MS[unit] ?? 0);
}

/** Parses a moment into Unix milliseconds. */
export function parseMoment(option: string, text: string): number {
  const isUnix = UNIX_MILLISECONDS.test(text);
  const time = isUnix ? Number(text) : ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`${option} must be a moment as 2026-11-21T18:00:00Z, not ${JSON.stringify(text)}`);
  return time;
}

/** Parses an optional moment into Unix milliseconds; null when it is missing. */
export function parseOptionalMoment(option: string, text: string | undefined): number | null {
  return text === undefined ? null : parseMoment(option, text);
}

/** Parses a moment, or a duration before `now`, into Unix milliseconds. */
export function parseTime(option: string, text: string, now: number): number {
  const ago = durationMs(text);
  return ago === null ? parseMoment(option, text) : now - ago;
}

/** Parses a time as `parseTime` does, and refuses one after `now`. */
export function parsePastTime(option: string, text: string, now: number): number {
  const time = parseTime(option, text, now);
  if (time > now) throw new UsageError(`${option} is in the future`);
  return time;
}

/** Parses a number of things, from 1; undefined when it is missing. */
export function parseCount(option: string, text: string | undefined, max = 9_999): number | undefined {
  const count = Number(text);
  if (text !== undefined && (!/^\d+$/.test(text) || count < 1 || count > max))
    throw new UsageError(`${option} must be a whole number from 1 to ${max}`);
  return text === undefined ? undefined : count;
}

/** Parses the one match that a command names. */
export function parseEventId([id = '', ...more]: readonly string[]): number {
  if (more.length > 0 || !/^\d{1,15}$/.test(id)) throw new UsageError('name one match by its event id');
  return Number(id);
}

/** Parses the lost topics that an operator accepts; undefined when the option is missing. */
export function parseAccepted(text: string | undefined): AcceptedTopics | undefined {
  if (text === undefined || text === 'all') return text;
  const names = text.split(',');
  const unknown = names.find((name) => !IDENTIFIED.some((topic) => topic === name));
  if (unknown !== undefined)
    throw new UsageError(
      `--accept must be all, or one or several of ${IDENTIFIED.join(',')}; not ${JSON.stringify(unknown)}`,
    );
  return names as TopicName[];
}
