import { playedMinute, QUIET_AFTER } from '#domain/clock.ts';
import type { ShownMoment } from './last-word.ts';
import { type BoardMatch, phaseOf } from './match.ts';
import { dayWords, shortStatus, timeWords } from './words.ts';

/** What the time of a match is told by: the data of a `clock` event of `/board/events`. */
export type ClockedMatch = Pick<
  BoardMatch,
  'event_id' | 'start_date' | 'status_id' | 'status_type' | 'clock' | 'ut' | 'received_at'
>;

/** Whole seconds since the last message of a match whose clock runs; null while that is not too long. */
export function quietFor(match: BoardMatch, now: number): number | null {
  if (match.status_type !== 'live' || match.clock?.status !== 'running') return null;
  const seconds = Math.floor(now - match.received_at / 1000);
  return seconds > QUIET_AFTER ? seconds : null;
}

/**
 * What stands where the minute does: `67′`, `45+2′`, `HT`, `FT`, the time of the kick-off. `now`: Unix seconds.
 */
export function minuteText(match: ClockedMatch, now: number): string {
  const short = shortStatus(match);
  if (short !== null) return short;
  if (match.status_type === 'scheduled') return timeWords(match.start_date);
  const minute = match.status_type === 'live' ? playedMinute(match, now) : null;
  return minute === null ? '' : `${minute}′`;
}

/** What stands under the minute: the day, where the match is not on. */
export function dayText(match: ClockedMatch, now: number): string {
  return match.status_type === 'live' ? '' : dayWords(match.start_date, now);
}

/** The day and the minute in one line. A clock that nobody vouches for does not run. */
export function momentText(match: ClockedMatch, { now, word }: ShownMoment): string {
  if (word === 'lost' && phaseOf(match) === 'live') return `–, as of ${timeText(now)}`;
  return [dayText(match, now), minuteText(match, now)].filter((part) => part !== '').join(', ');
}

/** `20:31:07` of Unix seconds, UTC. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

/** `3 min`, `2 h`: how long something has lasted. */
export function durationWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
