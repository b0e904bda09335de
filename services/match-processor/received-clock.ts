/** The most that one message moves the clock, milliseconds. */
const STEP_MS = 60_000;

/**
 * How much time has gone by where messages are received, without a clock of one's own: it follows their times of
 * receipt. One that is far ahead moves it by a minute, and one that is far behind has it follow from there, so that
 * neither a step of a receiver's clock nor its way back stops it. Seconds of difference between receivers do not count.
 */
export class ReceivedClock {
  #elapsedMs = 0;
  #at: number | null = null;

  /** Milliseconds since the first message; after a long silence less than that. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Follows the time of receipt of the next message, Unix milliseconds. */
  follow(receivedAt: number): void {
    const ahead = receivedAt - (this.#at ?? receivedAt);
    if (ahead > 0) this.#elapsedMs += Math.min(ahead, STEP_MS);
    if (this.#at === null || ahead > 0 || ahead < -STEP_MS) this.#at = receivedAt;
  }
}
