/**
 * How long records may wait behind an open transaction of another producer: longer than transactions of this runtime
 * and most others may take.
 */
const STUCK_MS = 60_000;

/** Detects a partition whose committed records wait behind an open transaction. */
export class StableWatch {
  #end = -1;
  #movedAt = 0;
  #isReported = false;

  /** How long the last stable offset has not moved although records follow it, milliseconds; 0 where none do. */
  stuckMs(nowMs: number): number {
    return nowMs - this.#movedAt;
  }

  /**
   * Takes the last stable offset and the high watermark of an answer. Returns true once when the former has not moved for
   * a minute although records follow it; again only after it moved. `nowMs` is monotonic.
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
