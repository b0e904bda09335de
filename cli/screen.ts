import type { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { cut, widthOf } from './table.ts';
import { harmless, writeControls } from './terminal.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_TO_END_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_ALL = '\u001b[2J\u001b[H';

const DRAW_EVERY_MS = 200;

/** Draws lines at the end of standard output, again and again until work has ended, and leaves the last ones. Rejects as the work does. */
export async function drawWhile(work: Promise<unknown>, lines: () => readonly string[]): Promise<void> {
  const screen = new Screen(process.stdout);
  const draw = (): void => screen.draw(lines());
  const drawing = setInterval(draw, DRAW_EVERY_MS);
  try {
    draw();
    await work;
    draw();
  } finally {
    clearInterval(drawing);
    screen.end();
  }
}

/** A block of lines at the end of a terminal that is drawn again in its place. */
class Screen {
  readonly #out: WriteStream;
  #drawn = 0;

  constructor(out: WriteStream) {
    this.#out = out;
    writeControls(out, HIDE_CURSOR);
    out.on('resize', this.#onResize);
  }

  /**
   * Replaces the block. One write, and lines are cleared as they are replaced, so that nothing flickers. What would wrap or scroll is cut:
   * the block could not be found again.
   */
  draw(lines: readonly string[]): void {
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    const shown = lines.slice(0, Math.max(1, this.#out.rows - 1)).map((line) => this.#fit(harmless(line)));
    const block = shown.map((line) => `\r${line}${CLEAR_TO_END_OF_LINE}\n`).join('');
    writeControls(this.#out, `${up}${block}${CLEAR_BELOW}`);
    this.#drawn = shown.length;
  }

  /** A line that does not reach the last column, after which terminals differ; one that is cut loses its colours. */
  #fit(line: string): string {
    const plain = stripVTControlCharacters(line);
    const room = this.#out.columns - 1;
    return widthOf(plain) <= room ? line : cut(plain, room);
  }

  /** A resized terminal has wrapped the drawn lines: the start of the block is unknown. */
  readonly #onResize = (): void => {
    writeControls(this.#out, CLEAR_ALL);
    this.#drawn = 0;
  };

  /** Leaves the block as it is and gives the cursor back. */
  end(): void {
    this.#out.off('resize', this.#onResize);
    writeControls(this.#out, SHOW_CURSOR);
  }
}
