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

/** Given as the reason of an abort that nobody reads: the default is an error with a stack, made each time. */
const SETTLED = new Error('settled');

/** True where `work` resolves in time, false where the time is up first, milliseconds. Rejects as it does. */
export async function settlesWithin(
  work: Promise<unknown>,
  ms: number,
  clock: Pick<MachineClock, 'sleep'> = machineClock,
): Promise<boolean> {
  const settled = new AbortController();
  const timeUp = clock.sleep(ms, settled.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), timeUp]);
  } finally {
    settled.abort(SETTLED);
  }
}
