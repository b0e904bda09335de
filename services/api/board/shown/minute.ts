import { playedMinute, QUIET_AFTER_SECONDS } from '#domain/clock.ts';
import { dayWords, halfWords, shortStatus, timeWords } from '#story/words.ts';
import type { ShownMoment } from './heartbeat.ts';
import { type BoardMatch, phaseOf } from './match.ts';

/** The fields that the time of a match is computed from: the data of a `clock` event of `/board/events`. */
export type ClockedMatch = Pick<
  BoardMatch,
  | 'event_id'
  | 'start_date'
  | 'status_id'
  | 'status_type'
  | 'status_words'
  | 'clock'
  | 'clock_rule'
  | 'ut'
  | 'received_at'
>;

/** Returns the whole seconds since the last message of a match whose clock runs; null up to `QUIET_AFTER_SECONDS`. */
export function quietFor(match: BoardMatch, now: number): number | null {
  if (match.status_type !== 'live' || match.clock?.status !== 'running') return null;
  const seconds = Math.floor(now - match.received_at / 1000);
  return seconds > QUIET_AFTER_SECONDS ? seconds : null;
}

/**
 * Returns the minute or what is shown instead: `67′`, `45+2′`, `HT`, `FT`, the time of the kick-off; in a sport without a clock the
 * part that is played, such as `2nd set`. `now`: Unix seconds.
 */
export function minuteText(match: ClockedMatch, now: number): string {
  const short = shortStatus(match);
  if (short !== null) return short;
  if (match.status_type === 'scheduled') return timeWords(match.start_date);
  const minute = match.status_type === 'live' ? playedMinute(match, now) : null;
  if (minute !== null) return `${minute}′`;
  return match.status_words === null ? '' : halfWords(match);
}

/** Returns the day of a match that is not live, to show below the minute. */
export function dayText(match: ClockedMatch, now: number): string {
  return match.status_type === 'live' ? '' : dayWords(match.start_date, now);
}

/** Returns day and minute in one line; while the connection is lost, no minute of a live match. */
export function momentText(match: ClockedMatch, { now, connection }: ShownMoment): string {
  if (connection === 'lost' && phaseOf(match) === 'live') return `–, as of ${timeText(now)}`;
  return [dayText(match, now), minuteText(match, now)].filter((part) => part !== '').join(', ');
}

/** Returns the time of day in UTC, e.g. `20:31:07`. `seconds`: Unix seconds. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

/** Returns a duration such as `3 min` or `2 h`. */
export function durationWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** Returns the age of `at` (Unix milliseconds) such as `3 min ago`. `now`: Unix seconds. */
export function agoWords(at: number, now: number): string {
  return `${durationWords(Math.max(0, Math.floor(now - at / 1000)))} ago`;
}
