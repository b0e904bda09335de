import { poll } from '#timing/poll.ts';

/** Longest wait for one thing: far more than it takes, for a machine may be busy with other work. */
export const DEADLINE_MS = 180_000;
const EVERY_MS = 20;

/** Waits until `look` gives something other than undefined, looking again until the deadline; says what it waited for. */
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
  const found = await poll(wrapped, { timeoutMs: deadlineMs, everyMs: EVERY_MS });
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
