/** Maximum time of one sleep, milliseconds: a timer cannot take an infinite one. */
const MAX_SLEEP_MS = 3_600_000;

/** The sleep of a loop, which ends early when there may be work. */
export class WakeableSleep {
  #woken = false;
  #isEnded = false;
  #wake: (() => void) | null = null;

  /** Sleeps until `wake`, for `ms` and an hour at most. */
  async sleep(ms: number): Promise<void> {
    if (!this.#woken && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(ms, MAX_SLEEP_MS));
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

  /** Ends the pending sleep, and all later ones at once. */
  end(): void {
    this.#isEnded = true;
    this.wake();
  }
}
