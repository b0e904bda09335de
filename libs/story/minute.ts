import { playedMinute, QUIET_AFTER_SECONDS } from '#domain/clock.ts';
import type { StoryStep } from '#views/store/board-view.ts';
import type { BoardMatch } from './match.ts';
import { dayWords, halfWords, shortStatus, timeWords } from './words.ts';

/** The fields that the time of a match is computed from. */
export type ClockedMatch = Pick<
  BoardMatch,
  'start_date' | 'status_id' | 'status_type' | 'status_words' | 'clock' | 'clock_rule' | 'ut' | 'received_at'
>;

/** Returns the whole seconds since the last message of a match whose clock runs; null up to `QUIET_AFTER_SECONDS`. */
export function quietFor(match: ClockedMatch, now: number): number | null {
  if (match.status_type !== 'live' || match.clock?.status !== 'running') return null;
  const seconds = Math.floor(now - match.received_at / 1000);
  return seconds > QUIET_AFTER_SECONDS ? seconds : null;
}

/** Returns the minute or what stands for it: `67′`, `45+2′`, `HT`, the kick-off; without a clock the part, as `2nd set`. `now`: Unix seconds. */
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

/** Returns the time of day in UTC, e.g. `20:31:07`. `seconds`: Unix seconds. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(-13, -5);
}

/** Returns a time in UTC as `14:32:05`, with the date unless it is today. `seconds`, `now`: Unix seconds. */
export function timeWithDay(seconds: number, now: number): string {
  const [day, today] = [seconds, now].map((at) => new Date(at * 1000).toISOString().slice(0, -14));
  const time = timeText(seconds);
  return day === today ? time : `${dayWords(day ?? null, now)} ${time}`;
}

/** Returns a duration such as `3 min` or `2 h`. */
export function durationWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** Delay from which a message is no late one but of the past, seconds: it was loaded or played long after its match. */
const PAST_S = 7 * 86_400;

/** Returns how late a message came, such as `1.4 s`; of one of the past only that it is. `delay`: milliseconds. */
export function delayWords(delay: number): string {
  if (delay < 0) return `${durationWords(Math.ceil(-delay / 1000))} early: the provider’s clock is ahead`;
  if (delay >= PAST_S * 1000) return 'over a week: loaded or played later';
  return delay < 10_000 ? `${(delay / 1000).toFixed(1)} s` : durationWords(Math.round(delay / 1000));
}

/** Returns the age of `at` (Unix milliseconds) such as `3 min ago`. `now`: Unix seconds. */
export function agoWords(at: number, now: number): string {
  return `${durationWords(Math.max(0, Math.floor(now - at / 1000)))} ago`;
}

/** Delay from which a message counts as late, seconds: half of the silence that makes a feed stale. */
const LATE_S = 10;

/** Returns how late a change was received, in seconds after the provider wrote it; null when it was in time, or is of the past. */
export function lateBy({ ut, received_at }: Pick<StoryStep, 'ut' | 'received_at'>): number | null {
  const delay = Math.floor(received_at / 1000) - ut;
  return delay >= LATE_S && delay < PAST_S ? delay : null;
}
