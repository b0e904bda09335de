import type { WriteStream } from 'node:tty';
import { harmless, writeControls } from '../../terminal.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_TO_END_OF_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_ALL = '\u001b[2J\u001b[H';

/** A block of lines at the end of a terminal that is drawn again in its place. */
export class Screen {
  readonly #out: WriteStream;
  #drawn = 0;

  constructor(out: WriteStream) {
    this.#out = out;
    writeControls(out, HIDE_CURSOR);
    out.on('resize', this.#onResize);
  }

  /** Replaces the block. One write, and lines are cleared as they are replaced, so that nothing flickers. */
  draw(lines: readonly string[]): void {
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    const block = lines.map((line) => `\r${harmless(line)}${CLEAR_TO_END_OF_LINE}\n`).join('');
    writeControls(this.#out, `${up}${block}${CLEAR_BELOW}`);
    this.#drawn = lines.length;
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
