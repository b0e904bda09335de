/** The most that one message moves the clock, milliseconds. */
const STEP_MS = 60_000;

/**
 * Elapsed time by the times of receipt of messages, without reading a clock. A message far ahead moves it by one minute,
 * and one far behind resets its base, so that neither a step of a receiver's clock nor its correction stops it.
 * Differences of seconds between receivers do not count.
 */
export class ReceivedClock {
  #elapsedMs = 0;
  #at: number | null = null;

  /** Milliseconds since the first message; less after a long silence. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Advances to the time of receipt of the next message, Unix milliseconds. */
  follow(receivedAt: number): void {
    const ahead = receivedAt - (this.#at ?? receivedAt);
    if (ahead > 0) this.#elapsedMs += Math.min(ahead, STEP_MS);
    if (this.#at === null || ahead > 0 || ahead < -STEP_MS) this.#at = receivedAt;
  }
}
