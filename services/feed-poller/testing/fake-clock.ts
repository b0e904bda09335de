import type { MachineClock } from '#timing/clock.ts';

/** A clock that only sleeps advance: a sleep returns at once and moves the clock by its length. */
export class FakeClock implements MachineClock {
  now = 0;
  /** Every wait so far, milliseconds. */
  readonly waits: number[] = [];

  monotonic(): number {
    return this.now;
  }

  unix(): number {
    return 1_700_000_000_000 + this.now;
  }

  async sleep(ms: number, _signal: AbortSignal): Promise<void> {
    this.waits.push(ms);
    this.now += ms;
  }
}
