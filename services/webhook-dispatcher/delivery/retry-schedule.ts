/** Delays between attempts to deliver. Pure. */
import { jittered } from '#timing/backoff.ts';

/** Maximum `Retry-After` that is honoured, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Maximum random share added to or subtracted from a delay, so that deliveries that fail together do not retry together. */
const JITTER = 0.2;

/**
 * Returns the delay after so many consecutive failed attempts (from 1), milliseconds: at least the answer's
 * `Retry-After`, up to its maximum. `random`: from 0 to 1.
 */
export function retryDelayMs(
  delaysMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: number,
): number {
  const delay = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const spread = Math.round(jittered(delay, JITTER, random));
  return Math.max(spread, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}
