import { setTimeout as delay } from 'node:timers/promises';

/** This machine's time, passed to what reads or waits for it. */
export type MachineClock = {
  /** Monotonic milliseconds; they include pauses of the process. */
  monotonic(): number;
  /** Unix milliseconds, for stamps. */
  unix(): number;
  /** Waits; ends early, without an error, when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/** The machine's clock. */
export const machineClock: MachineClock = {
  monotonic: () => performance.now(),
  unix: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
};
