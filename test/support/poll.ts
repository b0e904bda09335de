import { setTimeout as delay } from 'node:timers/promises';

/** Default deadline of a wait: far more than it takes, since the machine may be busy. */
export const DEADLINE_MS = 180_000;
/** Between looks as long as a look takes, so that looking is not the load, within these bounds. */
const LEAST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 1_000;

/** Polls `look` until it returns something other than undefined; at the deadline it throws with what it waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const started = performance.now();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await delay(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, performance.now() - started)));
  }
}

/** As `until`, for a condition. */
export async function untilTrue(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs?: number,
): Promise<void> {
  await until(what, async () => ((await holds()) ? true : undefined), deadlineMs);
}
