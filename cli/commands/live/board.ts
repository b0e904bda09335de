/** Renders the board of live matches for a terminal. Pure. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { feedWords } from '#story/feed-words.ts';
import { nameOf } from '#story/match.ts';
import { durationWords, minuteText } from '#story/minute.ts';
import { isSameScore, scoreWords } from '#story/words.ts';
import type { FeedStatus, SourceFeedStatus } from '#trading/feed-status.ts';
import type { Trading } from '#trading/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { cut, type TextColumn, tableLines, widthOf } from '../../table.ts';
import { escapeLine } from '../../values.ts';
import { boardMatchOf, tradingCell } from './shown-match.ts';

/** A live match with its current trading permission. */
export type LiveRow = {
  readonly state: ShownState;
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
    { head: 'firm', of: ({ state }) => firmText(state) },
    { head: 'trading', minWidth: 10, of: ({ trading, feed }) => tradingCell(trading, feed) },
    {
      head: 'last word',
      align: 'right',
      of: ({ lastReceivedAt }) => durationWords(secondsSince(lastReceivedAt, now)),
    },
    { head: 'event', align: 'right', of: ({ state }) => state.event_id },
  ];
}

/** Returns the firm score where it differs from the score, or is unknown; else no text. */
function firmText({ score, firm }: ShownState): string {
  return isSameScore(score, firm) && firm !== null ? '' : scoreWords(firm);
}

/** Returns the two lines of a match on a terminal that has no room for the table: who plays, then what may be traded. */
function narrowLines(row: LiveRow, now: number, columns: number): string[] {
  const { state, trading, feed, lastReceivedAt } = row;
  const [home, away] = [state.home, state.away].map((side) => nameOf(side ?? UNKNOWN));
  const minute = minuteOf(row, now).padStart(6);
  const id = `  ${state.event_id}`;
  const who = escapeLine(`${home} ${scoreWords(state.score)} ${away}`);
  const traded = tradingCell(trading, feed);
  const { text, style } = typeof traded === 'string' ? { text: traded, style: null } : traded;
  const firm = firmText(state);
  const start = `${NARROW_INDENT}${firm === '' ? '' : `firm ${firm}  `}`;
  const age = `  ${durationWords(secondsSince(lastReceivedAt, now))}`;
  const words = cut(escapeLine(text), columns - start.length - age.length);
  return [
    `${minute}  ${cut(who, columns - minute.length - 2 - id.length)}${id}`,
    `${start}${style === null ? words : styleText(style, words)}${age}`,
  ];
}

const NARROW_INDENT = ' '.repeat(4);

/** Number of lines besides those of matches and heads: sources, an empty line, number of hidden matches. */
const OTHER_LINES = 3;

/** Returns the lines of the board at `now`, Unix milliseconds. */
export function boardLines(
  matches: readonly LiveRow[],
  sources: readonly SourceFeedStatus[],
  { now, room }: { readonly now: number; readonly room: BoardRoom },
): string[] {
  const { columns } = room;
  const table = tableLines(columnsAt(now), matches, null);
  const isNarrow =
    columns !== null && table.some((line) => widthOf(stripVTControlCharacters(line)) > columns);
  const linesOf = isNarrow ? 2 : 1;
  const heads = isNarrow ? 0 : 1;
  const free = room.rows === null ? Number.POSITIVE_INFINITY : room.rows - OTHER_LINES - heads;
  const shown = matches.slice(0, Math.max(1, Math.floor(free / linesOf)));
  const rest = matches.length - shown.length;
  const lines = isNarrow
    ? shown.flatMap((row) => narrowLines(row, now, columns))
    : tableLines(columnsAt(now), shown, columns);
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
  if (trading.reasons.includes('states_unread')) return '-';
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
