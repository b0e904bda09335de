import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, backoffMs } from './backoff.ts';

/** Options of `retry`. */
type RetryOptions = Backoff & {
  /** Deadline, milliseconds from now. The first attempt that begins after it is the last one. */
  readonly deadlineMs: number;
  /** Whether the error is retryable. May throw an error to reject with. */
  readonly passes: (error: unknown) => boolean | Promise<boolean>;
  /** Aborts a wait between attempts; then `retry` rejects with an `AbortError`. */
  readonly signal?: AbortSignal;
};

/** Calls `attempt` until it succeeds, its error is not retryable, or the deadline has passed. Rejects as the last attempt did. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { deadlineMs, passes, signal } = options;
  const deadline = performance.now() + deadlineMs;
  for (let failures = 1; ; failures++) {
    // Checked before the attempt: an attempt that began in time and failed late is retried.
    const isLast = performance.now() > deadline;
    try {
      return await attempt();
    } catch (error) {
      if (!(await passes(error)) || isLast) throw error;
    }
    await delay(backoffMs(options, failures), undefined, { signal });
  }
}
