import { setTimeout as delay } from 'node:timers/promises';

/** How often and how long to poll. */
export type PollOptions = {
  readonly timeoutMs: number;
  /**
   * Shortest pause between two calls of `look`, also by the time waited so far; a slow `look` is followed by a pause as long as
   * it took. Default 50.
   */
  readonly everyMs?: number | ((waitedMs: number) => number);
  /** Ends the polling as the timeout does. */
  readonly signal?: AbortSignal;
};

/** Longest wait between looks, milliseconds, unless `everyMs` is longer. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * Looks until `look` gives something other than false or undefined, and gives that; undefined when the time is up. What
 * `look` throws goes to the caller.
 */
export async function poll<T>(
  look: () => Promise<T | false | undefined> | T | false | undefined,
  { timeoutMs, everyMs = 50, signal }: PollOptions,
): Promise<T | undefined> {
  const begun = performance.now();
  const pauseAfter = typeof everyMs === 'number' ? () => everyMs : everyMs;
  for (;;) {
    const started = performance.now();
    const found = await look();
    if (found !== false && found !== undefined) return found;
    const now = performance.now();
    if (now - begun >= timeoutMs || signal?.aborted === true) return undefined;
    const pause = Math.max(pauseAfter(now - begun), Math.min(LONGEST_PAUSE_MS, now - started));
    await delay(pause, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
