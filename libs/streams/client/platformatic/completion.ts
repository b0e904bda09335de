/** Wait after a refused guess at most, milliseconds: as long as the longest wait between two requests of a transaction. */
const LONGEST_MS = 50;
/** What a refusal adds to the time that it took: without it the next request would be refused again. */
const MARGIN = 1.15;
/** Share of the difference by which a refusal moves the estimate. */
const UP = 0.5;
/** Factor of the estimate after a request that waited and was accepted: some requests later one is refused and corrects it. */
const DOWN = 0.97;

/**
 * Estimates when the broker has completed a producer's last transaction. Until its markers are written, the broker refuses to begin
 * the next one (CONCURRENT_TRANSACTIONS), and a refused request costs as much as an accepted one. Times are those of
 * `performance.now`.
 */
export class CompletionEstimate {
  #endedAt = Number.NEGATIVE_INFINITY;
  #expectedMs = 0;

  /** The broker has answered the request that ends a transaction. */
  ended(now: number): void {
    this.#endedAt = now;
  }

  /** Returns how long to wait before the next transaction, whole milliseconds; 0 when the last one is likely complete. */
  waitMs(now: number): number {
    return Math.max(0, Math.ceil(this.#endedAt + this.#expectedMs - now));
  }

  /** The next transaction has begun. `waited`: whether its request waited as told; `refusals`: how many requests were refused before. */
  begun(now: number, { waited, refusals }: { readonly waited: boolean; readonly refusals: number }): void {
    if (refusals > 0) {
      const tookMs = Math.min(LONGEST_MS, MARGIN * (now - this.#endedAt));
      this.#expectedMs += UP * Math.max(0, tookMs - this.#expectedMs);
    } else if (waited) this.#expectedMs *= DOWN;
  }
}
