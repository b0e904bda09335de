import { setTimeout as delay } from 'node:timers/promises';

/** Growing waits between attempts. */
export type Backoff = {
  /** Wait after the first failure. */
  readonly firstMs: number;
  /** Maximum wait. */
  readonly ceilingMs: number;
  /** Factor between one wait and the next. Default 2. */
  readonly factor?: number;
};

/** Returns the wait after `failures` (from 1) in a row, without jitter. */
export function backoffMs({ firstMs, ceilingMs, factor = 2 }: Backoff, failures: number): number {
  return Math.min(ceilingMs, firstMs * factor ** (failures - 1));
}

/** A backoff with random waits. */
export type RandomBackoff = Backoff & {
  /** Returns a number from 0, included, to 1, excluded. */
  readonly random: () => number;
};

/** Returns a random wait from 0 to `backoffMs`, so that clients that fail together do not retry together. */
export function randomBackoffMs(backoff: RandomBackoff, failures: number): number {
  return backoff.random() * backoffMs(backoff, failures);
}

/** Adds ±`share` jitter to a wait, by `chance` from 0 to 1, so that clients that fail together do not retry together. */
export function jittered(ms: number, share: number, chance: number): number {
  return ms * (1 - share + 2 * share * chance);
}

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
