/** The syntax, values and time windows of the contract's parameters; parameter-meanings.json has their meanings. */
import { z } from 'zod';
import { each } from '#json/records.ts';
import { INT_MAX, LONG_MAX } from '#json/values.ts';
import { ABANDONED_MS } from '#trading/trading.ts';
import { RestError } from './errors.ts';

/** Values of `limit` for catalogues (spec, "Limits"). */
const CATALOGUE_LIMITS = [5, 10, 25, 50, 100, 150, 250, 500] as const;

/** Values of `limit` for lists of events (spec, "Limits"). */
const LIST_LIMITS = [5, 10, 25, 50, 100, 150] as const;

const MAX_EVENT_IDS = 500;

/** Values of `status_type`. The spec shows three of them; the provider has the others too. */
export const STATUS_TYPES = [
  'scheduled',
  'live',
  'finished',
  'cancelled',
  'interrupted',
  'deleted',
  'other',
] as const;

function wholeIn(min: number, max: number) {
  return z
    .string()
    .regex(/^[0-9]{1,16}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** An id, in the path or the query. */
export const idParameter = wholeIn(0, LONG_MAX);

/** Unix seconds: the start of incremental reading (spec, rule 5), or one end of a window of the feed. */
const secondsParameter = wholeIn(0, INT_MAX);

const yesNoParameter = z.enum(['yes', 'no']);

/** Returns `limit` and `page`: by default the first page, with the largest limit (as the fixtures show). */
function pagingParameters(limits: readonly [number, ...number[]]) {
  const largest = Math.max(...limits);
  return {
    limit: z
      .enum(limits.map(String))
      .transform(Number)
      .pipe(z.literal(limits))
      .default(largest)
      .meta({ type: 'integer' }),
    page: wholeIn(1, INT_MAX).default(1),
  };
}

const DATE =
  /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])( ([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?)?$/;

/** `YYYY-MM-DD`, with an optional ` HH:MM` or ` HH:MM:SS`; UTC. A day that is not in the calendar is invalid. */
const dateParameter = z.string().regex(DATE).refine(isDate);

const eventIdsParameter = z
  .string()
  .max(17 * MAX_EVENT_IDS)
  .regex(/^[0-9]{1,15}(,[0-9]{1,15})*$/)
  .refine((text) => text.split(',').length <= MAX_EVENT_IDS);

/** Parameters of every catalogue. */
export const catalogueParameters = {
  ...pagingParameters(CATALOGUE_LIMITS),
  timestamp: secondsParameter.optional(),
};

/** Parameters of a catalogue with a filter by sport. */
export const ofSport = { ...catalogueParameters, sport_id: idParameter.optional() };

export const competitionsParameters = { ...ofSport, area_id: idParameter.optional() };

export const stagesParameters = { ...ofSport, season_id: idParameter.optional() };

export const standingsParameters = {
  object_type: z.enum(['sport', 'competition', 'season', 'stage', 'event']).optional(),
  object_id: idParameter.optional(),
  ...ofSport,
};

const statusType = z.enum(STATUS_TYPES);

const dates = { date_from: dateParameter.optional(), date_to: dateParameter.optional() };

export const eventsParameters = {
  ...each(idParameter.optional(), 'sport_id', 'competition_id', 'season_id', 'stage_id'),
  status_type: statusType.optional(),
  participant_id: idParameter.optional(),
  venue_type: z.enum(['home', 'away']).optional(),
  ...dates,
  timestamp: secondsParameter.optional(),
  ...pagingParameters(LIST_LIMITS),
};

export const incidentsParameters = {
  deleted: yesNoParameter.default('no'),
  confirmation: z.enum(['tbd', 'confirmed', 'cancelled']).optional(),
  updated: yesNoParameter.optional(),
  participant_id: idParameter.optional(),
  sort_type: z.enum(['id', 'occurred_at']).default('id'),
  sort_order: z.enum(['asc', 'desc']).default('asc'),
  ...pagingParameters(CATALOGUE_LIMITS),
};

export const livescoreParameters = {
  sport_id: idParameter.optional(),
  status_type: statusType.optional(),
  events_details: yesNoParameter.default('yes'),
  ...dates,
  show_postponed: yesNoParameter.default('no'),
  timestamp: secondsParameter.optional(),
  ...pagingParameters(LIST_LIMITS),
};

export const basicLivescoreParameters = { timestamp: secondsParameter, sport_id: idParameter.optional() };

export const feedParameters = {
  ...each(secondsParameter.optional(), 'timestamp', 'timestamp_to'),
  type: z.enum(['incident', 'event']).optional(),
  event_ids: eventIdsParameter.optional(),
  ...each(yesNoParameter.optional(), 'important', 'important_for_trader'),
};

/** The values of parsed parameters. */
export type ValuesOf<P extends z.ZodRawShape> = Readonly<z.output<z.ZodObject<P>>>;

function isDate(text: string): boolean {
  const whole = from(text);
  const date = new Date(`${whole.replace(' ', 'T')}Z`);
  return !Number.isNaN(date.getTime()) && formatDate(date.getTime() / 1000) === whole;
}

/** Returns Unix seconds as `YYYY-MM-DD HH:MM:SS`, UTC. */
export function formatDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns `YYYY-MM-DD HH:MM:SS`, UTC, as Unix seconds. */
export function parseDate(date: string): number {
  return Date.parse(`${date.replace(' ', 'T')}Z`) / 1000;
}

const DAY_SECONDS = 86_400;
/** Maximum window of dates or of the feed. The spec names a limit without its value. */
const MAX_WINDOW_SECONDS = 31 * DAY_SECONDS;

export type DateWindow = { readonly date_from: string; readonly date_to: string };
type Dates = { readonly [Name in keyof DateWindow]?: string | undefined };
export type FeedWindow = { readonly timestamp: number; readonly timestamp_to: number };

/** Returns both ends as `YYYY-MM-DD HH:MM:SS`, inclusive; a missing one is that of the other's day, or of today. Throws `RestError`. */
export function dateWindow(dates: Dates, now: number): DateWindow {
  const today = formatDate(now);
  const date_from = from(dates.date_from ?? (dates.date_to ?? today).slice(0, 10));
  const date_to = to(dates.date_to ?? date_from.slice(0, 10));
  const width = parseDate(date_to) - parseDate(date_from);
  if (width < 0 || width >= MAX_WINDOW_SECONDS) throw new RestError('INVALID_PARAMETER');
  return { date_from, date_to };
}

/** Whether a window of `dateWindow` includes now (Unix seconds, UTC). */
export function includesNow({ date_from, date_to }: DateWindow, now: number): boolean {
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
  window: { readonly [Name in keyof FeedWindow]?: number | undefined },
  now: number,
): FeedWindow {
  const timestamp = window.timestamp ?? Math.max(0, (window.timestamp_to ?? now) - DAY_SECONDS);
  const timestamp_to =
    window.timestamp_to ?? Math.min(Math.max(now, timestamp), timestamp + MAX_WINDOW_SECONDS);
  const width = timestamp_to - timestamp;
  if (width < 0 || width > MAX_WINDOW_SECONDS) throw new RestError('INVALID_PARAMETER');
  return { timestamp, timestamp_to };
}
