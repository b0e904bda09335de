/** Renders matches as the live board has them, for a terminal. Pure. */
import { styleText } from 'node:util';
import { boardMatch } from '#story/board-match.ts';
import { feedWords } from '#story/feed-words.ts';
import { type BoardMatch, nameOf } from '#story/match.ts';
import { durationWords, minuteText } from '#story/minute.ts';
import { guardWords, isSameScore, scoreWords } from '#story/words.ts';
import type { FeedStatus, SourceFeedStatus } from '#trading/feed-status.ts';
import { NO_HALTS } from '#trading/halts.ts';
import type { Trading } from '#trading/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { cut, type StyledText, type TextCell, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';

/** A live match with its current trading permission. */
export type LiveRow = {
  readonly state: ShownState;
  readonly feed: FeedStatus;
  readonly trading: Trading;
  /** Time of receipt of its latest message, Unix milliseconds. */
  readonly lastReceivedAt: number;
};

const UNKNOWN = { name: null, short_name: null };

function columnsAt(now: number): TextColumn<LiveRow>[] {
  return [
    { head: 'minute', align: 'right', of: (row) => minuteOf(row, now) },
    { head: 'home', align: 'right', minWidth: 6, of: ({ state }) => nameOf(state.home ?? UNKNOWN) },
    { head: 'score', of: ({ state }) => ({ text: scoresText(state), style: 'bold' }) },
    { head: 'away', minWidth: 6, of: ({ state }) => nameOf(state.away ?? UNKNOWN) },
    { head: 'trading', minWidth: 10, of: ({ trading, feed }) => tradingCell(trading, feed) },
    {
      head: 'last',
      align: 'right',
      of: ({ lastReceivedAt }) => durationWords(Math.max(0, Math.floor((now - lastReceivedAt) / 1000))),
    },
    { head: 'event', align: 'right', of: ({ state }) => state.event_id },
  ];
}

/** Returns the score, with the firm score where it differs, or is unknown. */
function scoresText({ score, firm }: ShownState): string {
  const isFirm = firm !== null && isSameScore(score, firm);
  return `${scoreWords(score)}${isFirm ? '' : ` (firm ${scoreWords(firm)})`}`;
}

/** Returns the minute; none when the state may be outdated. */
function minuteOf({ state, feed, trading }: LiveRow, now: number): TextCell {
  if (trading.reasons.includes('states_unread')) return '-';
  return minuteText(boardMatchOf(state, feed, now), now / 1000).replace('′', "'");
}

/** Returns a line for each match at `now`, Unix milliseconds, below the sources; `width` is as for `tableLines`. */
export function boardLines(
  matches: readonly LiveRow[],
  sources: readonly SourceFeedStatus[],
  { now, width }: { readonly now: number; readonly width: number | null },
): string[] {
  const safe = matches.filter(({ trading }) => trading.permission === 'safe').length;
  const feeds = sources.map((source) => `${source.source} ${feedWords(source)}`).join('  ');
  const head = `${matches.length} live, ${safe} safe  ${new Date(now).toISOString().slice(11, 19)}Z  ${feeds || 'feed health unknown'}`;
  return [
    styleText('bold', cut(escapeLine(head), width)),
    '',
    ...(matches.length === 0 ? ['no match is live'] : tableLines(columnsAt(now), matches, width)),
  ];
}

/** Returns what `--json` prints for a match. */
export function matchJson({ state, feed, trading, lastReceivedAt }: LiveRow): object {
  const { permission, reasons } = trading;
  return { state, trading: { permission, reasons }, feed, heard_at: lastReceivedAt };
}

/** Returns the trading permission with its colour, as `halted: score under review, feed stale (nothing received)`. */
export function tradingCell({ permission, reasons }: Trading, feed: FeedStatus): string | StyledText {
  if (permission !== 'halted')
    return permission === 'safe' ? { text: 'safe', style: 'green' } : 'not in play';
  const ofFeed = `feed_${feed.state}`;
  const own = guardWords(reasons.filter((reason) => reason !== ofFeed));
  const words = [own, reasons.includes(ofFeed) ? `feed ${feedWords(feed)}` : ''];
  return { text: `halted: ${words.filter((part) => part !== '').join(', ')}`, style: 'red' };
}

const NO_LEVELS = { competition: null, season: null, stage: null, group: null };

/** Returns a match as the live board has it at `now`, Unix milliseconds. */
export function boardMatchOf(state: ShownState, feed: FeedStatus, now: number): BoardMatch {
  const view = {
    levelNames: () => NO_LEVELS,
    matchHealth: () => feed,
    halts: { standing: () => NO_HALTS },
    incidentLog: { scoring: () => new Map(), yellowCards: () => new Map(), guardClosedAt: () => null },
  };
  return boardMatch(state, view, now / 1000);
}
