import { LRUCache } from 'lru-cache';

/** Keys counted at a time; beyond it the one that asked longest ago is forgotten. */
const MAX_KEYS = 100_000;

/**
 * Admits at most `limit` attempts of a key in any window of `windowMs` (spec, "Limits": a rolling window), in this
 * process. A refused attempt does not count, so a client that waits as advised is admitted.
 */
export class RollingLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  /** Times of the admitted attempts, by key. */
  readonly #times = new LRUCache<string, readonly number[]>({ max: MAX_KEYS });

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
