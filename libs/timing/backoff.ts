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
