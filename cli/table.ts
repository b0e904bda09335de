/** Renders every list of the command line as a table of text. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeControls, escapeLine, writeControls } from './values.ts';

type Style = Parameters<typeof styleText>[0];

export type TextColumn<T> = {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /** Minimum width of a column that may be cut on a narrow terminal; missing when it is never cut. */
  readonly minWidth?: number;
  readonly of: (row: T) => TextCell;
};

export type TextCell = string | number | null | StyledText;
export type StyledText = { readonly text: string; readonly style: Style };

const GAP = '  ';
const ELLIPSIS = '…';
const GRAPHEMES = new Intl.Segmenter();
/** Most texts: one column a character. The segmenter takes a hundred times as long for them. */
const NARROW = /^[ -\u02ff\u2010-\u2027\u2030-\u205e]*$/;
/** Characters that a terminal draws two columns wide. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u;

/** Returns the width of the terminal that standard output is; null for a pipe or a file, where nothing is cut. */
export function terminalColumns(): number | null {
  return process.stdout.isTTY ? process.stdout.columns : null;
}

export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Cuts a text to at most `width` columns; a cut text ends with `…`. Null cuts nothing. */
export function cut(text: string, width: number | null): string {
  if (width === null || widthOf(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    shown += segment;
  }
  return width < 1 ? '' : shown + ELLIPSIS;
}

/**
 * Returns the lines of a table: the heads, then the rows. No line exceeds `width` columns; null cuts nothing. Foreign text in
 * cells is escaped. Styles apply only on a terminal without `NO_COLOR`.
 */
export function tableLines<T>(
  columns: readonly TextColumn<T>[],
  rows: readonly T[],
  width: number | null,
): string[] {
  const heads = columns.map(({ head }): ShownCell => ({ text: head, style: 'gray' }));
  const lines = [heads, ...rows.map((row) => columns.map(({ of }) => shownCell(of(row))))];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => widthOf(cells[at]?.text ?? ''))));
  if (width !== null) shrink(columns, widths, width);
  return lines.map((cells) => {
    let room = width ?? Number.POSITIVE_INFINITY;
    const shown = cells.map(({ text, style }, at) => {
      const own = cut(text, widths[at] ?? 0);
      const space = ' '.repeat((widths[at] ?? 0) - widthOf(own));
      const laid = (at === 0 ? '' : GAP) + (columns[at]?.align === 'right' ? space + own : own + space);
      // What nothing follows needs no space, and may be coloured.
      const isLast = cells.slice(at + 1).every((next) => next.text === '');
      const part = cut(isLast ? laid.trimEnd() : laid, room);
      room -= widthOf(part);
      return style === null || part.trim() === '' ? part : styleText(style, part);
    });
    return shown.join('');
  });
}

/** Returns a table as text for standard output; empty when there are no rows. */
export function tableText<T>(columns: readonly TextColumn<T>[], rows: readonly T[]): string {
  if (rows.length === 0) return '';
  return tableLines(columns, rows, terminalColumns())
    .map((line) => `${line}\n`)
    .join('');
}

type ShownCell = { readonly text: string; readonly style: Style | null };

function shownCell(cell: TextCell): ShownCell {
  const { text, style } =
    typeof cell === 'object' && cell !== null ? cell : { text: String(cell ?? ''), style: null };
  return { text: escapeLine(text), style };
}

/** Narrows the widest column that may be cut, again and again, until a line fits or no column can be narrower. */
function shrink(columns: readonly { readonly minWidth?: number }[], widths: number[], width: number): void {
  const total = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1));
  for (let over = total - width; over > 0; over -= 1) {
    let widest = -1;
    for (const [at, own] of widths.entries())
      if (own > (columns[at]?.minWidth ?? own) && own > (widths[widest] ?? 0)) widest = at;
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_TO_END_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_ALL = '\u001b[2J\u001b[H';

const DRAW_INTERVAL_MS = 200;

/** Redraws lines in place on a terminal until `work` ends. The last lines stay. Rejects as `work` does. */
export async function drawWhile(work: Promise<unknown>, lines: () => readonly string[]): Promise<void> {
  const out = process.stdout;
  let drawn = 0;
  // One write that clears each line as it replaces it does not flicker. What would wrap or scroll is cut: the start of the
  // block would be lost.
  const draw = (): void => {
    const up = drawn > 0 ? `\u001b[${drawn}A` : '';
    const all = lines();
    const room = Math.max(1, out.rows - 1);
    const more = all.length - room + 1;
    const shown = more <= 1 ? all : [...all.slice(0, room - 1), `and ${more} more lines`];
    const block = shown.map(escapeControls).map((line) => {
      // A cut line loses its colours.
      const plain = stripVTControlCharacters(line);
      const own = widthOf(plain) < out.columns ? line : cut(plain, out.columns - 1);
      return `\r${own}${CLEAR_TO_END_OF_LINE}\n`;
    });
    writeControls(out, `${up}${block.join('')}${CLEAR_BELOW}`);
    drawn = shown.length;
  };
  // A resize may wrap the drawn lines: the start of the block is then unknown.
  const onResize = (): void => {
    writeControls(out, CLEAR_ALL);
    drawn = 0;
  };
  writeControls(out, HIDE_CURSOR);
  out.on('resize', onResize);
  const drawing = setInterval(draw, DRAW_INTERVAL_MS);
  try {
    draw();
    await work;
    draw();
  } finally {
    clearInterval(drawing);
    out.off('resize', onResize);
    writeControls(out, SHOW_CURSOR);
  }
}
