import { stripVTControlCharacters } from 'node:util';
import { escapeControls, writeControls } from './guard.ts';
import { cut, widthOf } from './table.ts';

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
    const block = shown.map(
      (line) => `\r${fitting(escapeControls(line), out.columns - 1)}${CLEAR_TO_END_OF_LINE}\n`,
    );
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

/** Cuts a line to `room` columns; a cut line loses its colours. */
function fitting(line: string, room: number): string {
  const plain = stripVTControlCharacters(line);
  return widthOf(plain) <= room ? line : cut(plain, room);
}
