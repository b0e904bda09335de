import { poll } from '#timing/poll.ts';

/** Default timeout of a wait: far longer than usual, because the machine may be busy. */
export const DEADLINE_MS = 180_000;
const MIN_INTERVAL_MS = 40;
const MAX_INTERVAL_MS = 400;
/** The interval grows with the waiting time, because frequent polls load the broker and the machine. */
const everyMs = (waitedMs: number): number =>
  Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, waitedMs / 10));

/** Polls `look` until it returns a value other than undefined. Throws an error that contains `what` at the deadline. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  // Wrapped in a list, so that false counts as found.
  const wrapped = async (): Promise<[T] | undefined> => {
    const found = await look();
    return found === undefined ? undefined : [found];
  };
  const found = await poll(wrapped, { timeoutMs: deadlineMs, everyMs });
  if (found === undefined) throw new Error(`not within ${deadlineMs} ms: ${what}`);
  return found[0];
}

/** Waits until a condition holds. Throws like `until`. */
export async function untilTrue(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs?: number,
): Promise<void> {
  await until(what, async () => ((await holds()) ? true : undefined), deadlineMs);
}
