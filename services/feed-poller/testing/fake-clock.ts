import type { Clock } from '../clock.ts';

/** A clock whose time goes by only by waiting: whoever sleeps wakes at once, that much later. */
export class FakeClock implements Clock {
  now = 0;
  /** Every wait so far, milliseconds. */
  readonly waits: number[] = [];

  monotonic(): number {
    return this.now;
  }

  unix(): number {
    return 1_700_000_000_000 + this.now;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.now += ms;
  }
}
