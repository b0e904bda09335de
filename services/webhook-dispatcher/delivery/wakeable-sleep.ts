/** Longest wait of a timer. */
const LONGEST_WAIT_MS = 3_600_000;

/** The sleep of a loop that others wake once there may be work. */
export class WakeableSleep {
  #woken = false;
  #isEnded = false;
  #wake: (() => void) | null = null;

  /** Waits until it is woken, up to the given time and an hour at most. */
  async sleep(ms: number): Promise<void> {
    if (!this.#woken && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS));
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#woken = false;
  }

  /** Ends the pending sleep, or the next one at once. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** As `wake`, for all later sleeps too. */
  end(): void {
    this.#isEnded = true;
    this.wake();
  }
}
