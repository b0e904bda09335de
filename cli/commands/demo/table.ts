import { cut, paint, type Style } from '../../table.ts';
import type { BoardRow, BoardTotals, DemoBoard } from './board.ts';

/** How much room there is, and what time it is. */
export type Frame = { readonly columns: number; readonly rows: number; readonly seconds: number };

/** Lines of the frame beside matches and news: head, column names, two rules, totals, and one to spare. */
const AROUND = 6;
const MATCHES_SHOWN = 16;
const NEWS_SHOWN = 4;
const WIDEST = 104;
const NAME = { min: 8, max: 20 } as const;
const WIDTH = { minute: 6, score: 5, status: 12, review: 6 } as const;
const COLUMNS = 7;
const GAP = '  ';
/** Room for a reason to hold or two, which names give way to. */
const GUARD = { narrow: 14, wide: 20 } as const;
/** A terminal with less room than this gets the line of progress. */
const LEAST = { columns: 64, rows: 12 } as const;

/** The live table as lines, no more and no longer than the frame allows. */
export function renderTable(board: DemoBoard, frame: Frame): string[] {
  const width = Math.min(frame.columns - 1, WIDEST);
  if (frame.columns < LEAST.columns || frame.rows < LEAST.rows) {
    return [cut(renderProgress(board, frame.seconds), width)];
  }
  const fixed = Object.values(WIDTH).reduce((sum, part) => sum + part, (COLUMNS - 1) * GAP.length);
  const wanted = width < 90 ? GUARD.narrow : GUARD.wide;
  const name = Math.max(NAME.min, Math.min(NAME.max, Math.floor((width - fixed - wanted) / 2)));
  const guard = Math.max(3, width - fixed - 2 * name);
  const totals = board.totals();
  const news = Math.min(NEWS_SHOWN, Math.max(1, frame.rows - AROUND - MATCHES_SHOWN));
  const room = Math.min(MATCHES_SHOWN, Math.max(1, frame.rows - AROUND - news));
  const rows = board.rows(room);
  const rule = paint('gray', '─'.repeat(width));
  return [
    head(totals, frame.seconds, width),
    rule,
    paint('gray', line(['', 'home', 'score', 'away', 'status', 'review', 'guard'], name, guard)),
    ...rows.map((row) => matchLine(row, name, guard)),
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

function matchLine(row: BoardRow, name: number, guard: number): string {
  const { phase, official } = row;
  const minute = phase === 'finished' ? mark(official) : paint('cyan', row.minute.padStart(WIDTH.minute));
  const tone: Style = phase === 'live' ? 'white' : 'gray';
  const score = paint(scoreStyle(row), centre(row.score, WIDTH.score));
  return [
    minute,
    paint(tone, cut(row.home, name).padStart(name)),
    score,
    paint(tone, cut(row.away, name).padEnd(name)),
    paint(tone, cut(row.status, WIDTH.status).padEnd(WIDTH.status)),
    row.underReview ? paint(['bold', 'yellow'], 'REVIEW') : ' '.repeat(WIDTH.review),
    guardText(row, guard),
  ].join(GAP);
}

function scoreStyle({ phase, fresh }: BoardRow): Style {
  if (fresh) return ['bold', 'yellow'];
  return phase === 'live' ? ['bold', 'white'] : phase === 'finished' ? 'bold' : 'gray';
}

function guardText({ phase, guard }: BoardRow, width: number): string {
  if (phase === 'finished') return '';
  if (guard.length === 0) return paint(phase === 'live' ? 'green' : 'gray', 'open');
  return paint('red', cut(guard.join(', '), width));
}

function mark(official: boolean | null): string {
  return official
    ? paint('green', '✓'.padStart(WIDTH.minute))
    : paint(['bold', 'red'], '✗'.padStart(WIDTH.minute));
}

function line(cells: readonly string[], name: number, guard: number): string {
  const widths = [WIDTH.minute, name, WIDTH.score, name, WIDTH.status, WIDTH.review, guard];
  return cells
    .map((cell, n) => (n === 1 ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0)))
    .join(GAP)
    .trimEnd();
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

function centre(text: string, width: number): string {
  const left = Math.max(0, Math.ceil((width - text.length) / 2));
  return `${' '.repeat(left)}${text}`.padEnd(width);
}
