/**
 * How long records may wait behind an open transaction of another producer: longer than the transactions of this runtime may
 * take, and most others.
 */
const STUCK_MS = 60_000;

/** Watches whether a partition can be read on: where a transaction stays open, committed records behind it are held back. */
export class StableWatch {
  #end = -1;
  #movedAt = 0;
  #isReported = false;

  /**
   * Takes the last stable offset and the high watermark as of an answer. True once where the former has stood still for a
   * minute with records behind it, until it moves. `nowMs` never goes back.
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
