import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks `check` again and again until it answers something other than false or undefined, and gives that answer;
 * undefined when `timeoutMs` have passed. What `check` throws goes to the caller.
 */
export async function poll<T>(
  check: () => Promise<T | false | undefined> | T | false | undefined,
  { timeoutMs, everyMs = 50 }: { timeoutMs: number; everyMs?: number },
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer !== false && answer !== undefined) return answer;
    if (performance.now() >= deadline) return undefined;
    await delay(everyMs);
  }
}
