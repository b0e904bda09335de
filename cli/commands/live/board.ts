/** Renders the board of live matches for a terminal. Pure. */
import { styleText } from 'node:util';
import type { FeedStatus, SourceFeedStatus } from '#tradability/feed-status.ts';
import type { Trading } from '#tradability/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { feedWords } from '../../../services/api/board/shown/feed.ts';
import { nameOf } from '../../../services/api/board/shown/match.ts';
import { durationWords, minuteText } from '../../../services/api/board/shown/minute.ts';
import { scoreWords } from '../../../services/api/board/shown/words.ts';
import { cut, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { boardMatchOf, tradingCell } from './shown-match.ts';

/** A match state without its event register, and how its clock is read. */
export type LiveState = ShownState;

/** A live match with its current trading permission. */
export type LiveRow = {
  readonly state: LiveState;
  readonly feed: FeedStatus;
  readonly trading: Trading;
  /** Time of receipt of its latest message, Unix milliseconds. */
  readonly lastReceivedAt: number;
};

/** Available columns and rows; null when unlimited. */
export type BoardRoom = { readonly columns: number | null; readonly rows: number | null };

const UNKNOWN = { name: null, short_name: null };

function columnsAt(now: number): TextColumn<LiveRow>[] {
  return [
    { head: 'minute', align: 'right', of: (row) => minuteOf(row, now) },
    { head: 'home', align: 'right', minWidth: 6, of: ({ state }) => nameOf(state.home ?? UNKNOWN) },
    { head: 'score', of: ({ state }) => ({ text: scoreWords(state.score), style: 'bold' }) },
    { head: 'away', minWidth: 6, of: ({ state }) => nameOf(state.away ?? UNKNOWN) },
    { head: 'firm', of: ({ state }) => scoreWords(state.firm) },
    { head: 'trading', minWidth: 10, of: ({ trading, feed }) => tradingCell(trading, feed) },
    {
      head: 'last word',
      align: 'right',
      of: ({ lastReceivedAt }) => durationWords(secondsSince(lastReceivedAt, now)),
    },
    { head: 'event', align: 'right', of: ({ state }) => state.event_id },
  ];
}

/** Number of lines besides those of matches: sources, an empty line, heads, number of hidden matches. */
const OTHER_LINES = 4;

/** Returns the lines of the board at `now`, Unix milliseconds. */
export function boardLines(
  matches: readonly LiveRow[],
  sources: readonly SourceFeedStatus[],
  { now, room }: { readonly now: number; readonly room: BoardRoom },
): string[] {
  const fitting = room.rows === null ? matches.length : Math.max(1, room.rows - OTHER_LINES);
  const shown = matches.slice(0, fitting);
  const rest = matches.length - shown.length;
  const lines = tableLines(columnsAt(now), shown, room.columns);
  const safe = matches.filter(({ trading }) => trading.permission === 'safe').length;
  const head = `${matches.length} live, ${safe} safe  ${new Date(now).toISOString().slice(11, 19)}Z  ${sourcesText(sources)}`;
  return [
    styleText('bold', cut(head, room.columns)),
    '',
    ...(shown.length === 0 ? ['no match is live'] : lines),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}

/** Returns the minute; none when the state may be outdated. */
function minuteOf({ state, feed, trading }: LiveRow, now: number): string {
  if (trading.reasons.includes('no_word')) return '-';
  return minuteText(boardMatchOf(state, feed, now), now / 1000).replace('′', "'");
}

function secondsSince(ms: number, now: number): number {
  return Math.max(0, Math.floor((now - ms) / 1000));
}

function sourcesText(sources: readonly SourceFeedStatus[]): string {
  if (sources.length === 0) return 'feed health unknown';
  return escapeLine(sources.map((source) => `${source.source} ${feedWords(source)}`).join('  '));
}

/** Returns what `--json` prints for a match. */
export function matchJson({ state, feed, trading, lastReceivedAt }: LiveRow): object {
  const { permission, reasons } = trading;
  return { state, trading: { permission, reasons }, feed, heard_at: lastReceivedAt };
}
