/** Words for the codes of match state. */

import { GUARD_WORDS } from '#domain/guard.ts';
import type { GapReason } from '#domain/health/health-status.ts';
import type { MatchState, Score } from '#records/types.ts';
import { SHOOT_OUT_PHASES, STATUS, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import type { ShownState } from '#views/store/board-view.ts';

/** The name of a status, such as `3rd quarter`, and its short form. */
export type StatusWords = { readonly name: string; readonly short: string };

/** The fields that name the status of a match. */
type StatusFields = Pick<ShownState, 'status_id' | 'status_type'> & {
  /** In another sport than soccer; else null. */
  readonly status_words: StatusWords | null;
};

const REASONS: Readonly<Record<string, string>> = {
  ...GUARD_WORDS,
  unsafe: 'no reason given',
  version_went_back: 'its version went back: state was lost',
  unknown_score: 'score unknown',
  feed_stale: 'feed stale',
  feed_delayed: 'feed delayed',
  states_unread: 'no word from the server',
  halted_by_hand: 'halted by hand',
  halts_unread: 'halts by hand not known',
};

const FEED_REASONS: Readonly<Record<string, string>> = {
  silence: 'nothing received',
  delay: 'received too late',
  clock: 'provider’s clock ahead',
  backlog: 'our own delay',
  unreadable_messages: 'messages cannot be read',
  credentials: 'credentials refused',
  contract: 'outside the contract',
  network: 'provider unreachable',
  ingress: 'ingress service silent',
  monitor: 'feed health silent',
  ended: 'match over',
} satisfies Record<GapReason, string>;

const SHORT_STATUSES: Readonly<Record<number, string>> = {
  2: 'Interrupted',
  3: 'Cancelled',
  5: 'Postponed',
  6: 'Delayed',
  7: 'Abandoned',
  9: 'HT',
  16: 'Pens',
  37: 'ET HT',
  48: 'ET next',
  141: 'Pens',
  142: 'Pens next',
  149: 'Delayed',
  152: 'To finish',
};

/** Names of the halves, shown beside the minute. */
const HALVES: Readonly<Record<number, string>> = { 33: '1H', 34: '2H', 35: 'ET1', 36: 'ET2' };

/** The endings of a finished match: a short form for the column of the minute, and words unless it ended in regular time. */
const ENDINGS: Readonly<Record<number, readonly [short: string, words: string | null]>> = {
  7: ['Abandoned', 'abandoned'],
  11: ['FT', null],
  12: ['Awarded', 'awarded win'],
  13: ['Pens', 'after penalties'],
  14: ['AET', 'after extra time'],
  140: ['AOT', 'after overtime'],
};

const STATUS_TYPES: Readonly<Record<string, string>> = {
  scheduled: 'Not started',
  live: 'Live',
  finished: 'Finished',
  interrupted: 'Interrupted',
  cancelled: 'Cancelled',
};

/** Returns the reasons of a guard, e.g. `possible goal, play is stopped`. */
export function guardWords(reasons: readonly string[]): string {
  // A live match without a score has two codes for it, of its guard and of trading.
  const words = reasons.map((reason) => REASONS[reason] ?? reason.replaceAll('_', ' '));
  return [...new Set(words)].join(', ');
}

/** Returns the reason why a feed is not alive, e.g. `provider unreachable`. */
export function reasonWords(reason: string): string {
  return FEED_REASONS[reason] ?? reason;
}

/** Returns a short form of the status to show instead of the minute; null when the minute says more. */
export function shortStatus({ status_id, status_type, status_words }: StatusFields): string | null {
  if (status_type === 'deleted') return 'Deleted';
  // Only soccer has a full time.
  if (status_type === 'finished' && status_id === STATUS.finished && status_words !== null) return 'Ended';
  if (status_type === 'finished') return ENDINGS[status_id ?? 0]?.[0] ?? 'Ended';
  return status_id === null ? null : (SHORT_STATUSES[status_id] ?? null);
}

/** Returns e.g. `2H` during the second half, or the short name of a quarter or set; empty when nothing is being played. */
export function halfWords({ status_id, status_type, status_words }: StatusFields): string {
  if (status_type !== 'live' || status_id === null) return '';
  return status_words?.short ?? HALVES[status_id] ?? '';
}

/** Returns the name of a status by its id, else by its type. A deleted match keeps the status that it had, which says nothing now. */
export function statusName({ status_id, status_type, status_words }: StatusFields): string {
  if (status_type === 'deleted') return 'Deleted';
  const known = STATUSES_OF_SOCCER.get(status_id)?.name;
  return status_words?.name ?? known ?? STATUS_TYPES[status_type ?? ''] ?? 'Status unknown';
}

/** Returns how a finished match ended; null: in regular time, or unknown. */
export function endingWords(statusId: number | null): string | null {
  return ENDINGS[statusId ?? 0]?.[1] ?? null;
}

/** Returns e.g. `2–1`; `?–?` when unknown. */
export function scoreWords(score: Score | null): string {
  return score === null ? '?–?' : `${score.home}–${score.away}`;
}

type ComparedScores = Pick<ShownState, 'score' | 'source' | 'derived' | 'reported'>;

/** Returns how a score differs: `provider says 2–0`; where the score is the provider's result, `0–3 (result), played 1–0`. */
export function differenceWords({ score, source, derived, reported }: ComparedScores): string {
  return source === 'reported'
    ? `${scoreWords(score)} (result), played ${scoreWords(derived)}`
    : `provider says ${scoreWords(reported)}`;
}

/** Returns whether the score agrees with the provider's, in words. */
export function agreementWords(match: ComparedScores & Pick<ShownState, 'agreement'>): string {
  if (match.agreement === 'agrees') return 'agrees with the provider';
  return match.agreement === 'differs' ? differenceWords(match) : 'no provider score to compare';
}

/** Returns what could not be read of a match, each with its last time: `incident.important, last at 2026-09-21 13:33:20Z`. */
export function unreadWords({ unread, unread_at }: Pick<MatchState, 'unread' | 'unread_at'>): string[] {
  const lastAt = (ut: number): string =>
    `last at ${new Date(ut * 1000).toISOString().replace('T', ' ').replace('.000Z', 'Z')}`;
  return [
    ...(unread_at === null ? [] : [`a whole message, ${lastAt(unread_at)}`]),
    ...unread.map(({ path, ut }) => `${path}, ${lastAt(ut)}`),
  ];
}

/** Whether a match is in its penalty shoot-out, or waits for it. */
export function isShootingOut(match: Pick<ShownState, 'status_id' | 'status_type'>): boolean {
  return match.status_type !== 'finished' && SHOOT_OUT_PHASES.has(match.status_id);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns `14 Jul 2018` of the provider's `2018-07-14 20:00`; empty without a date. */
function dateWords(startDate: string | null): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(startDate ?? '') ?? [];
  return year === undefined ? '' : `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

/** Returns `14 Jul` of the provider's `2018-07-14 20:00`, with the year unless it is that of `now` (Unix seconds); empty without a date. */
export function dayWords(startDate: string | null, now: number): string {
  return dateWords(startDate).replace(` ${new Date(now * 1000).getUTCFullYear()}`, '');
}

/** Returns date and time of the kick-off. */
export function kickOffWords(startDate: string | null): string {
  const date = dateWords(startDate);
  return date === '' ? 'not reported' : `${date}, ${timeWords(startDate)} UTC`;
}

/** Returns `20:00` of the provider's `2018-07-14 20:00`; empty without a time. */
export function timeWords(startDate: string | null): string {
  return /^\d{4}-\d{2}-\d{2} (\d{2}:\d{2})/.exec(startDate ?? '')?.[1] ?? '';
}
