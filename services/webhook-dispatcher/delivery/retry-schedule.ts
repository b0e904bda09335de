/** When a delivery that was not accepted is tried again. Pure. */

/** How deliveries are repeated. */
export type RetryPolicy = {
  /** Milliseconds to wait after the first failed attempt in a row, after the second, and so on; the last for all others. */
  readonly delaysMs: readonly number[];
  /** Most that an answer's `Retry-After` is heeded for, milliseconds. */
  readonly maxRetryAfterMs: number;
};

/** Share of a delay by which it is made longer or shorter: those that fail together do not come again together. */
const JITTER = 0.2;

/**
 * How long to wait after so many failed attempts in a row (from 1), milliseconds: never less than the answer asked for, up
 * to the limit. `random`: from 0 to 1.
 */
export function retryDelayMs(
  { delaysMs, maxRetryAfterMs }: RetryPolicy,
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const delay = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const spread = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
}
