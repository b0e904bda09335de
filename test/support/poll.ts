import { setTimeout as delay } from 'node:timers/promises';

/** Longest wait for one thing: far more than it takes, for a machine may be busy with other work. */
export const PATIENCE_MS = 180_000;
/** Between looks three times as long as a look takes, so that looking is not the load, within these bounds. */
const PAUSE_PER_LOOK = 3;
const LEAST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 1_000;

/** Waits until `look` gives something other than undefined, looking again until the deadline; says what it waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  deadlineMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const started = performance.now();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    const pauseMs = PAUSE_PER_LOOK * (performance.now() - started);
    await delay(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, pauseMs)));
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
