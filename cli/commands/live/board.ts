/** The board of live matches in a terminal: pure. */
import { styleText } from 'node:util';
import type { MatchState } from '#topics/generated/types.ts';
import type { FeedStatus, SourceFeedStatus } from '#tradability/feed-status.ts';
import type { Trading } from '#tradability/trading.ts';
import { feedWords } from '../../../services/api/board/shown/feed.ts';
import { nameOf } from '../../../services/api/board/shown/match.ts';
import { durationWords, minuteText } from '../../../services/api/board/shown/minute.ts';
import { scoreWords } from '../../../services/api/board/shown/words.ts';
import { cut, type TextColumn, tableLines } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { boardMatchOf, tradingCell } from './shown-match.ts';

/** A state without the memory of its register. */
export type LiveState = Omit<MatchState, 'fields'>;

/** A live match with what may be traded on it now. */
export type LiveRow = {
  readonly state: LiveState;
  readonly feed: FeedStatus;
  readonly trading: Trading;
  /** When its latest message was received, Unix milliseconds. */
  readonly heardAt: number;
};

/** The available width; null where unlimited. */
export type Room = { readonly columns: number | null; readonly rows: number | null };

const UNKNOWN = { name: null, short_name: null };

function columnsAt(now: number): TextColumn<LiveRow>[] {
  return [
    { head: 'minute', align: 'right', of: (row) => minuteOf(row, now) },
    { head: 'home', align: 'right', minWidth: 6, of: ({ state }) => nameOf(state.home ?? UNKNOWN) },
    { head: 'score', of: ({ state }) => ({ text: scoreWords(state.score), style: 'bold' }) },
    { head: 'away', minWidth: 6, of: ({ state }) => nameOf(state.away ?? UNKNOWN) },
    { head: 'firm', of: ({ state }) => scoreWords(state.firm) },
    { head: 'trading', minWidth: 10, of: ({ trading, feed }) => tradingCell(trading, feed) },
    { head: 'last word', align: 'right', of: ({ heardAt }) => durationWords(secondsSince(heardAt, now)) },
    { head: 'event', align: 'right', of: ({ state }) => state.event_id },
  ];
}

/** Lines beside those of matches: the sources, an empty one, the heads, and the rest that has no room. */
const AROUND = 4;

/** The lines of the board at `now`, Unix milliseconds. */
export function boardLines(
  matches: readonly LiveRow[],
  sources: readonly SourceFeedStatus[],
  { now, room }: { readonly now: number; readonly room: Room },
): string[] {
  const fitting = room.rows === null ? matches.length : Math.max(1, room.rows - AROUND);
  const shown = matches.slice(0, fitting);
  const rest = matches.length - shown.length;
  const lines = tableLines(columnsAt(now), shown, room.columns);
  const safe = matches.filter(({ trading }) => trading.permission === 'safe').length;
  const head = `${matches.length} live, ${safe} safe  ${new Date(now).toISOString().slice(11, 19)}Z  ${sourcesText(sources)}`;
  return [
    styleText('bold', room.columns === null ? head : cut(head, room.columns)),
    '',
    ...(shown.length === 0 ? ['no match is live'] : lines),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}

/** A clock without a fresh state does not run. */
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

/** What `--json` prints of a match. */
export function matchJson({ state, feed, trading, heardAt }: LiveRow): object {
  const { permission, reasons } = trading;
  return { state, trading: { permission, reasons }, feed, heard_at: heardAt };
}
