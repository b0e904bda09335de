/** The changes on the board that are announced or alerted. */

import { sourceName } from '#story/feed-words.ts';
import { type BoardMatch, matchName, nameOf } from '#story/match.ts';
import { timeText } from '#story/minute.ts';
import { guardWords } from '#story/words.ts';
import { tradingOf } from '#tradability/trading.ts';
import type { BoardSource } from './feed.ts';
import type { ShownMoment } from './heartbeat.ts';

export type ScoreNews = 'goal' | 'cancelled';

type AlertKind = ScoreNews | 'red_card' | 'halted' | 'safe' | 'feed_down';

/** An alert, with the words to show. */
export type NewsAlert = { readonly kind: AlertKind; readonly words: string };

/** Returns the kind of a change of score; null when the score is the same, or unknown before or after. */
export function scoreNews(before: BoardMatch, after: BoardMatch): ScoreNews | null {
  if (before.score === null || after.score === null) return null;
  const home = after.score.home - before.score.home;
  const away = after.score.away - before.score.away;
  if (home > 0 || away > 0) return 'goal';
  return home < 0 || away < 0 ? 'cancelled' : null;
}

/** Returns the announcement of a change of score, e.g. `Goal: Brazil 2, Serbia 0, under review.` */
export function newsWords(kind: ScoreNews, match: BoardMatch): string {
  const { home, away, score, under_review } = match;
  const what = kind === 'goal' ? 'Goal' : 'Goal cancelled';
  const review = under_review ? ', under review' : '';
  return `${what}: ${nameOf(home)} ${score?.home ?? 0}, ${nameOf(away)} ${score?.away ?? 0}${review}.`;
}

/** Reasons of the feed that may concern one match alone. */
const OWN_FEED_REASONS: ReadonlySet<string> = new Set(['feed_stale', 'feed_delayed']);
/** A server that cannot read halts does not see the feeds either. */
const OF_SERVER = 'halts_unread';

/**
 * Returns the alert of a match that may no longer be traded; null when it may be traded, or could not be before. Also null when
 * only the whole source is down: that is one alert, by `feedNews`.
 */
export function haltNews(before: BoardMatch, after: BoardMatch): NewsAlert | null {
  if (tradingOf(before, before.feed, before.halts).permission !== 'safe') return null;
  const own = ownReasons(after);
  return own.length === 0 ? null : haltOf(after, guardWords(own));
}

/** Returns the alert of a match that may be traded again, with the time as of which; null as `haltNews`. */
export function safeNews(
  before: BoardMatch,
  after: BoardMatch,
  { now, zone }: Pick<ShownMoment, 'now' | 'zone'>,
): NewsAlert | null {
  if (tradingOf(after, after.feed, after.halts).permission !== 'safe' || ownReasons(before).length === 0)
    return null;
  return { kind: 'safe', words: `Safe again at ${timeText(now, zone)}: ${matchName(after)}.` };
}

/** Returns the reasons of a halt, without those of a source that halts all of its matches; none of a match that is not halted. */
function ownReasons(match: BoardMatch): string[] {
  const { permission, reasons } = tradingOf(match, match.feed, match.halts);
  if (permission !== 'halted') return [];
  return reasons.filter(
    (reason) => (!reason.startsWith('feed_') || OWN_FEED_REASONS.has(reason)) && reason !== OF_SERVER,
  );
}

/** Returns the alert of a match with more red cards than before; null otherwise. */
export function cardNews(before: BoardMatch, after: BoardMatch): NewsAlert | null {
  const sides = (['home', 'away'] as const).filter((side) => after.red_cards[side] > before.red_cards[side]);
  if (sides.length === 0) return null;
  const names = sides.map((side) => nameOf(after[side])).join(', ');
  return { kind: 'red_card', words: `Red card: ${names} (${matchName(after)}).` };
}

/** Returns the alert of a match that left the board, deleted or outside the contract; null when it was not safe to trade. */
export function goneNews(match: BoardMatch): NewsAlert | null {
  const isSafe = tradingOf(match, match.feed, match.halts).permission === 'safe';
  return isSafe ? haltOf(match, 'no longer on the board') : null;
}

function haltOf(match: BoardMatch, why: string): NewsAlert {
  return { kind: 'halted', words: `Halted: ${matchName(match)}: ${why}.` };
}

/** Returns an alert for each source that was believed before and is not any more. */
export function feedNews(before: readonly BoardSource[], after: readonly BoardSource[]): NewsAlert[] {
  const believed = new Set(before.filter((source) => source.believed).map(({ source }) => source));
  return after
    .filter((source) => !source.believed && believed.has(source.source))
    .map(({ source }) => ({ kind: 'feed_down', words: `Feed down: ${sourceName(source)}.` }));
}
