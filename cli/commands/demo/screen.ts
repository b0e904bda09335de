import type { WriteStream } from 'node:tty';

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
    out.write(HIDE_CURSOR);
    out.on('resize', this.#onResize);
  }

  /** Replaces the block. One write, and lines are cleared as they are replaced, so that nothing flickers. */
  draw(lines: readonly string[]): void {
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    this.#out.write(
      `${up}${lines.map((line) => `\r${line}${CLEAR_TO_END_OF_LINE}\n`).join('')}${CLEAR_BELOW}`,
    );
    this.#drawn = lines.length;
  }

  /** A resized terminal has wrapped the drawn lines: the start of the block is unknown. */
  readonly #onResize = (): void => {
    this.#out.write(CLEAR_ALL);
    this.#drawn = 0;
  };

  /** Leaves the block as it is and gives the cursor back. */
  end(): void {
    this.#out.off('resize', this.#onResize);
    this.#out.write(SHOW_CURSOR);
  }
}
