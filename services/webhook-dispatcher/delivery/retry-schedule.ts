/** When a failed delivery is retried. Pure. */
import { jittered } from '#timing/backoff.ts';

/** Longest `Retry-After` that is honoured, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Random share added to or taken from a delay: deliveries that fail together are not retried together. */
const JITTER = 0.2;

/**
 * The delay after this many failed attempts in a row (from 1), milliseconds: at least the answer's `Retry-After`, up to
 * the limit. `random`: from 0 to 1.
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
