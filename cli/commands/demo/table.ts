import { cut, paint, type Style, type TextCell, tableLines } from '../../table.ts';
import type { BoardRow, BoardTotals, DemoBoard } from './board.ts';

/** How much room there is, and what time it is. */
export type Frame = { readonly columns: number; readonly rows: number; readonly seconds: number };

/** Lines of the frame beside matches and news: head, column names, two rules, totals, and one to spare. */
const AROUND = 6;
const MATCHES_SHOWN = 16;
const NEWS_SHOWN = 4;
const WIDEST = 104;
const GAP = '  ';
/** A terminal with less room than this gets the line of progress. */
const LEAST = { columns: 64, rows: 12 } as const;
const COLUMNS = [
  { head: '', align: 'right' },
  { head: 'home', align: 'right', least: 8 },
  { head: 'score' },
  { head: 'away', least: 8 },
  { head: 'status' },
  { head: 'review' },
  { head: 'guard', least: 3 },
] as const;

/** The live table as lines, no more and no longer than the frame allows. */
export function renderTable(board: DemoBoard, frame: Frame): string[] {
  const width = Math.min(frame.columns - 1, WIDEST);
  if (frame.columns < LEAST.columns || frame.rows < LEAST.rows) {
    return [cut(renderProgress(board, frame.seconds), width)];
  }
  const totals = board.totals();
  const news = Math.min(NEWS_SHOWN, Math.max(1, frame.rows - AROUND - MATCHES_SHOWN));
  const room = Math.min(MATCHES_SHOWN, Math.max(1, frame.rows - AROUND - news));
  const rows = board.rows(room);
  const rule = paint('gray', '─'.repeat(width));
  return [
    head(totals, frame.seconds, width),
    rule,
    ...tableLines(COLUMNS, rows.map(cellsOf), width),
    ...Array<string>(room - rows.length).fill(''),
    rule,
    totalsLine(totals, width),
    ...Array.from({ length: news }, (_, n) => newsLine(board.news[n], n, width)),
  ];
}

/** One line of progress, for where there is no terminal to draw in. */
export function renderProgress(board: DemoBoard, seconds: number): string {
  const { title, matches, finished, live, underReview, disallowed, transitions } = board.totals();
  return `${clock(seconds)}  ${title}: ${finished} of ${matches} played, ${live} live, ${underReview} under review, ${disallowed} goals disallowed, ${count(transitions)} transitions`;
}

function head({ title, matches, finished, live }: BoardTotals, seconds: number, width: number): string {
  const right = `${finished}/${matches} played  ${clock(seconds)}`;
  const name = cut(title, width - right.length - 2 * GAP.length);
  const bar = Math.min(24, width - name.length - right.length - 3 * GAP.length);
  const done = Math.round((finished / Math.max(1, matches)) * bar);
  const progress =
    bar < 6 ? '' : `${paint('green', '━'.repeat(done))}${paint('gray', '━'.repeat(bar - done))}${GAP}`;
  const space = width - 2 - name.length - right.length - (bar < 6 ? 0 : bar + GAP.length);
  const dot = paint(live > 0 ? 'red' : 'gray', '●');
  return `${dot} ${paint('bold', name)}${' '.repeat(Math.max(1, space))}${progress}${right}`;
}

function cellsOf({ phase, minute, home, away, status, official, ...row }: BoardRow): TextCell[] {
  const tone: Style = phase === 'live' ? 'white' : 'gray';
  const score: Style = phase === 'live' ? ['bold', 'white'] : phase === 'finished' ? 'bold' : 'gray';
  const mark: TextCell = official ? { text: '✓', style: 'green' } : { text: '✗', style: ['bold', 'red'] };
  return [
    phase === 'finished' ? mark : { text: minute, style: 'cyan' },
    { text: home, style: tone },
    { text: row.score, style: row.fresh ? ['bold', 'yellow'] : score },
    { text: away, style: tone },
    { text: status, style: tone },
    row.underReview ? { text: 'REVIEW', style: ['bold', 'yellow'] } : '',
    guardCell(row.guard, phase),
  ];
}

function guardCell(guard: readonly string[], phase: BoardRow['phase']): TextCell {
  if (phase === 'finished') return '';
  if (guard.length > 0) return { text: guard.join(', '), style: 'red' };
  return { text: 'open', style: phase === 'live' ? 'green' : 'gray' };
}

function totalsLine(totals: BoardTotals, width: number): string {
  const { live, underReview, halted, goals, disallowed, transitions } = totals;
  const parts = [
    `${live} live`,
    `${underReview} under review`,
    `${halted} on hold`,
    `${goals} goals`,
    `${disallowed} disallowed`,
    `${count(transitions)} transitions`,
  ];
  return paint('gray', cut(parts.join(' · '), width));
}

function newsLine(news: string | undefined, n: number, width: number): string {
  if (news === undefined) return '';
  const tone: Style = n > 0 ? 'gray' : news.endsWith('disallowed') ? 'red' : 'yellow';
  return paint(tone, cut(news, width));
}

/** A number with commas between thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-GB');
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
