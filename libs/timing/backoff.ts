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

/** As `backoffMs`, anything from nothing to that: many who wait spread out. */
export function randomBackoffMs(backoff: RandomBackoff, failures: number): number {
  return backoff.random() * backoffMs(backoff, failures);
}

/** A wait that is longer or shorter by up to a share of it, by chance from 0 to 1: who fail together come again apart. */
export function jittered(ms: number, share: number, chance: number): number {
  return ms * (1 - share + 2 * share * chance);
}
