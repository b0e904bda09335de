import { setTimeout as delay } from 'node:timers/promises';

/** Longest wait for one thing: far more than it takes, for a machine may be busy with other work. */
const PATIENCE_MS = 180_000;
/** Between looks: the first pause, and the longest. It grows with what a look costs, so that looking is not the load. */
const PAUSE_MS = [20, 1_000] as const;

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
    const [least, most] = PAUSE_MS;
    await delay(Math.min(most, Math.max(least, performance.now() - started)));
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
