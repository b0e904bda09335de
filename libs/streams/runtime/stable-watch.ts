/** How long records may wait behind an open transaction: longer than the transaction timeout of most producers. */
const STUCK_MS = 60_000;

/** Detects a partition whose committed records wait behind an open transaction. */
export class StableWatch {
  #end = -1;
  #movedAt = 0;
  #isReported = false;

  /** Returns how long the last stable offset has not moved although records follow it, milliseconds; 0 when none follow. */
  stuckMs(nowMs: number): number {
    return nowMs - this.#movedAt;
  }

  /**
   * Takes the last stable offset (`end`) and the high watermark (`written`) of a read. Returns true once when `end` has not moved for
   * a minute although records follow it, and again only after it moved. `nowMs` is monotonic.
   */
  becameStuck(end: number, written: number, nowMs: number): boolean {
    if (end !== this.#end || written <= end) {
      this.#end = end;
      this.#movedAt = nowMs;
      this.#isReported = false;
      return false;
    }
    if (this.#isReported || nowMs < this.#movedAt + STUCK_MS) return false;
    this.#isReported = true;
    return true;
  }
}
