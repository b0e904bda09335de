/** The time windows of requests, and their defaults. */
import { ABANDONED_MS } from '#trading/trading.ts';
import { RestError } from './errors.ts';
import { formatDate, MAX_WINDOW_DAYS, parseDate } from './parameters.ts';

const DAY_SECONDS = 86_400;
const MAX_WINDOW_SECONDS = MAX_WINDOW_DAYS * DAY_SECONDS;

type Dates = { readonly date_from?: string | undefined; readonly date_to?: string | undefined };

/** Returns both ends as `YYYY-MM-DD HH:MM:SS`, inclusive; a missing one is that of the other's day, or of today. Throws `RestError`. */
export function dateWindow(
  dates: Dates,
  now: number,
): { readonly date_from: string; readonly date_to: string } {
  const today = formatDate(now);
  const date_from = from(dates.date_from ?? (dates.date_to ?? today).slice(0, 10));
  const date_to = to(dates.date_to ?? date_from.slice(0, 10));
  const width = parseDate(date_to) - parseDate(date_from);
  if (width < 0 || width >= MAX_WINDOW_SECONDS) throw new RestError('INVALID_PARAMETER');
  return { date_from, date_to };
}

/** Whether a window of `dateWindow` includes now (Unix seconds, UTC). */
export function includesNow(
  { date_from, date_to }: { readonly date_from: string; readonly date_to: string },
  now: number,
): boolean {
  const present = formatDate(now);
  return date_from <= present && present <= date_to;
}

/** Returns the `liveSince` of queries at `now`, Unix seconds: it changes once a minute, so that answers can be kept for as long. */
export function liveSince(now: number): number {
  return Math.floor((now - ABANDONED_MS / 1000) / 60) * 60;
}

/** Like `dateWindow`, for a list with another filter: of any width, and open at a missing end. */
export function openDates(dates: Dates): Dates {
  const date_from = dates.date_from === undefined ? undefined : from(dates.date_from);
  const date_to = dates.date_to === undefined ? undefined : to(dates.date_to);
  if (date_from !== undefined && date_to !== undefined && date_from > date_to) {
    throw new RestError('INVALID_PARAMETER');
  }
  return { date_from, date_to };
}

const from = (date: string): string => `${date}${' 00:00:00'.slice(date.length - 10)}`;
const to = (date: string): string => `${date}${' 23:59:59'.slice(date.length - 10)}`;

/** Returns the window of the feed, Unix seconds, inclusive; by default the last 24 hours. Throws `RestError`. */
export function feedWindow(
  window: { readonly timestamp?: number | undefined; readonly timestamp_to?: number | undefined },
  now: number,
): { readonly timestamp: number; readonly timestamp_to: number } {
  const timestamp = window.timestamp ?? Math.max(0, (window.timestamp_to ?? now) - DAY_SECONDS);
  const timestamp_to =
    window.timestamp_to ?? Math.min(Math.max(now, timestamp), timestamp + MAX_WINDOW_SECONDS);
  const width = timestamp_to - timestamp;
  if (width < 0 || width > MAX_WINDOW_SECONDS) throw new RestError('INVALID_PARAMETER');
  return { timestamp, timestamp_to };
}
