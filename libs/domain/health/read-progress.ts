import { INTERRUPTED_MS } from './limits.ts';

/** How far a partition is read, by time. All times are Unix milliseconds. */
export class ReadProgress {
  #to = Number.NEGATIVE_INFINITY;
  #since = Number.NEGATIVE_INFINITY;

  /** Everything that was there at that moment is read. */
  get to(): number {
    return this.#to;
  }

  /** Since when it is read without an interruption. */
  get since(): number {
    return this.#since;
  }

  /** Everything that was there at `at` is read. */
  advance(at: number): void {
    if (at - this.#to > INTERRUPTED_MS) this.#since = at;
    this.#to = Math.max(this.#to, at);
  }
}
