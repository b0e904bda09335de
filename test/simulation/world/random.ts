/** A pseudo-random number generator (sfc32). The same seed returns the same numbers on every machine. */
export class Random {
  #a = 0;
  #b = 0;
  #c: number;
  #d = 1;

  constructor(seed: number) {
    this.#a = (seed / 2 ** 32) | 0;
    this.#b = seed | 0;
    this.#c = 0x9e3779b9;
    for (let n = 0; n < 12; n += 1) this.next();
  }

  /** Returns a number from 0, included, to 1, excluded. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** Returns a number from `low`, included, to `high`, excluded. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    if (of.length === 0) throw new Error('nothing to pick from');
    return of[this.int(0, of.length - 1)] as T;
  }
}
