import { setTimeout as delay } from 'node:timers/promises';

/** The poller's own time. The provider's clock is another one: it is read from its answers only. */
export type Clock = {
  /** Milliseconds that only ever grow; a process that was paused finds them gone by. */
  monotonic(): number;
  /** Unix milliseconds, for stamps. */
  unix(): number;
  /** Waits; ends early, without an error, when `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/** The machine's clock. */
export const machineClock: Clock = {
  monotonic: () => performance.now(),
  unix: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
};
