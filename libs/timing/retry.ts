import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, backoffMs } from './backoff.ts';

/** How something is tried again. */
export type RetryOptions = Backoff & {
  /** The last attempt is the first that begins after this time, milliseconds from now. */
  readonly deadlineMs: number;
  /** Whether another attempt may succeed after this error. Throws to end the attempts. */
  readonly passes: (error: unknown) => boolean | Promise<boolean>;
  /** Ends a wait; the rejection is an `AbortError`. */
  readonly signal?: AbortSignal;
};

/** Tries until it succeeds, fails for good, or the time is up; rejects as the last attempt did. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { deadlineMs, passes, signal } = options;
  const deadline = performance.now() + deadlineMs;
  for (let failures = 1; ; failures++) {
    // Judged at the start of the attempt: one that failed late is still retried.
    const isLast = performance.now() > deadline;
    try {
      return await attempt();
    } catch (error) {
      if (!(await passes(error)) || isLast) throw error;
    }
    await delay(backoffMs(options, failures), undefined, signal === undefined ? {} : { signal });
  }
}
