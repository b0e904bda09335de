/** The clock of this machine. A clock is passed to code that reads the time or waits. */
export const machineClock = {
  /** Returns monotonic milliseconds, which include pauses of the process. */
  monotonic: () => performance.now(),
  /** Returns Unix milliseconds, for timestamps. */
  unix: () => Date.now(),
  sleep,
};

export type MachineClock = typeof machineClock;

/** Waits `ms`; resolves early when `signal` is aborted. As `setTimeout` of `node:timers/promises`, which creates an error with a stack for each abort: a twentieth of what a delivery costs the receiver. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener('abort', end);
  });
}

/** Reason of an abort that nobody reads: the default would create an error with a stack each time. */
const SETTLED = new Error('settled');

/** Whether `work` resolves within `ms`. Rejects as `work` does. */
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
