import { growingCache } from '#timing/growing-cache.ts';

/** Keys counted at a time; beyond it the one that asked longest ago is forgotten. */
const MAX_KEYS = 100_000;

/** Admits at most `limit` attempts of a key in any window (spec, "Limits"), in this process. A refused one does not count. */
export class RollingLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #times = growingCache<string, readonly number[]>(MAX_KEYS);

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Counts an attempt, and returns 0; at the limit returns the milliseconds until the next one may be admitted. */
  admit(key: string, at: number): number {
    // A clock that was set back must not lock a key out for longer than a window.
    const counted = (this.#times.get(key) ?? []).filter((time) => Math.abs(at - time) < this.#windowMs);
    if (counted.length >= this.#limit) return Math.min(at, ...counted) + this.#windowMs - at;
    counted.push(at);
    this.#times.set(key, counted);
    return 0;
  }
}
