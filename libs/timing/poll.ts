import { setTimeout as delay } from 'node:timers/promises';

/** Timeout and interval of `poll`. */
type PollOptions = {
  readonly timeoutMs: number;
  /** Minimum pause between calls of `check`, or one by the time since the start, milliseconds; at least as long as the last took. Default 50. */
  readonly everyMs?: number | ((waitedMs: number) => number);
  /** Ends the polling as the timeout does. */
  readonly signal?: AbortSignal;
};

/** Maximum pause between calls of `check`, milliseconds, unless `everyMs` is longer. */
const MAX_PAUSE_MS = 1_000;

/** Calls `check` until it returns a value but false and undefined; undefined after the timeout or an abort. Rejects as `check`. */
export async function poll<T>(
  check: () => Promise<T | false | undefined> | T | false | undefined,
  { timeoutMs, everyMs = 50, signal }: PollOptions,
): Promise<T | undefined> {
  const begun = performance.now();
  const pauseAfter = typeof everyMs === 'number' ? () => everyMs : everyMs;
  for (;;) {
    const started = performance.now();
    const result = await check();
    if (result !== false && result !== undefined) return result;
    const now = performance.now();
    if (now - begun >= timeoutMs || signal?.aborted === true) return undefined;
    const pause = Math.max(pauseAfter(now - begun), Math.min(MAX_PAUSE_MS, now - started));
    await delay(pause, undefined, { signal }).catch(() => {});
  }
}
