import { poll } from '#timing/poll.ts';

/** Default deadline of a wait: far more than it takes, since the machine may be busy. */
export const DEADLINE_MS = 180_000;
const EVERY_MS = 20;
const AT_MOST_MS = 250;
/** What is waited for long need not be asked for often: looks cost the broker and the machine more than what they wait for. */
const everyMs = (waitedMs: number): number => Math.min(AT_MOST_MS, Math.max(EVERY_MS, waitedMs / 20));

/** Polls `look` until it returns something other than undefined; at the deadline it throws with what it waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  // In a list: whatever is found counts, false too.
  const wrapped = async (): Promise<[T] | undefined> => {
    const found = await look();
    return found === undefined ? undefined : [found];
  };
  const found = await poll(wrapped, { timeoutMs: deadlineMs, everyMs });
  if (found === undefined) throw new Error(`not within ${deadlineMs} ms: ${what}`);
  return found[0];
}

/** As `until`, for a condition. */
export async function untilTrue(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs?: number,
): Promise<void> {
  await until(what, async () => ((await holds()) ? true : undefined), deadlineMs);
}
