import { setTimeout as delay } from 'node:timers/promises';

/** Waits so many milliseconds; false where the signal came first. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}
