/** Counts what came within the last so many milliseconds, by key: a rolling window, exact, of bounded memory. */
export class RollingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxKeys: number;
  /** Times of what was let through, oldest first; keys in the order of their latest. */
  readonly #times = new Map<string, number[]>();

  /** Of more than `maxKeys` keys those are forgotten that were not let through for the longest. */
  constructor(options: { readonly limit: number; readonly windowMs: number; readonly maxKeys: number }) {
    this.#limit = options.limit;
    this.#windowMs = options.windowMs;
    this.#maxKeys = options.maxKeys;
  }

  /** Counts one at `now`, milliseconds; where there is no room, after how many milliseconds there is, else 0. */
  take(key: string, now: number): number {
    const times = this.#times.get(key) ?? [];
    // A clock that was set back must not lock anyone out: what lies in the future is forgotten.
    const recent = times.filter((time) => time > now - this.#windowMs && time <= now);
    const [oldest] = recent;
    if (recent.length >= this.#limit && oldest !== undefined) {
      this.#times.set(key, recent);
      return oldest + this.#windowMs - now;
    }
    recent.push(now);
    this.#times.delete(key);
    this.#times.set(key, recent);
    for (const longest of this.#times.keys()) {
      if (this.#times.size <= this.#maxKeys) break;
      this.#times.delete(longest);
    }
    return 0;
  }
}
