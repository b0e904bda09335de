/** How waits between attempts grow, milliseconds. */
export type Backoff = {
  readonly firstMs: number;
  readonly ceilingMs: number;
  /** By how much each wait is longer than the one before. Default 2. */
  readonly factor?: number;
};

/** The wait after `failures` (from 1) in a row, without jitter. */
export function backoffMs({ firstMs, ceilingMs, factor = 2 }: Backoff, failures: number): number {
  return Math.min(ceilingMs, firstMs * factor ** (failures - 1));
}

/** A backoff whose waits are random. */
export type RandomBackoff = Backoff & {
  /** From 0 to 1, below 1. */
  readonly random: () => number;
};

/** A random wait from 0 to `backoffMs`, so that waiting clients spread out. */
export function randomBackoffMs(backoff: RandomBackoff, failures: number): number {
  return backoff.random() * backoffMs(backoff, failures);
}

/** Adds ±`share` jitter to a wait, by `chance` from 0 to 1, so that clients that fail together do not retry together. */
export function jittered(ms: number, share: number, chance: number): number {
  return ms * (1 - share + 2 * share * chance);
}
