/** How old the server's last word is: what is shown rests on it. */

/** What the word is worth: it counts; it is older than that; none was heard yet. */
export type Word = 'fresh' | 'lost' | 'awaited';

/** When and on what something is shown. */
export type ShownMoment = {
  /** Unix seconds by the server's clock; while the word is lost, those of the last one. */
  readonly now: number;
  readonly word: Word;
};

/** What pages judge the age of all else by: the server's clock, Unix seconds, and its steady clock, milliseconds. */
export type SpokenWord = { readonly now: number; readonly steady: number };

/** How far the steady clocks of the server and of a page may part, of their time. */
const DRIFT = 0.001;

/**
 * The age of a server's last word by a page's steady clock, milliseconds. A word that was held up on its way, in a proxy or by a page that
 * slept, is as old as it is late: against the fastest word of its connection.
 */
export class LastWord {
  #spokenAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** The page's clock less the server's, where a word took least. */
  #offset = Number.POSITIVE_INFINITY;

  /** A connection begins: what the clock of its server shows has nothing to do with the one before. */
  connect(): void {
    this.#offset = Number.POSITIVE_INFINITY;
  }

  /** A word was heard at `at`; `spoken`: the server's steady clock when it was sent. */
  hear(spoken: number, at: number): void {
    const drift = this.#offset === Number.POSITIVE_INFINITY ? 0 : (at - this.#heardAt) * DRIFT;
    this.#offset = Math.min(at - spoken, this.#offset + drift);
    this.#heardAt = at;
    this.#spokenAt = spoken + this.#offset;
  }

  /** Infinite before the first word. */
  age(at: number): number {
    return at - this.#spokenAt;
  }
}
