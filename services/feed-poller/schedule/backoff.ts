/** How long to wait before something that failed is tried again. */
export type Backoff = {
  /** Longest first wait, milliseconds; it doubles with each failure. */
  readonly firstMs: number;
  readonly ceilingMs: number;
  /** From 0 to 1, below 1. */
  readonly random: () => number;
};

/** The wait after `failures` (from 1) in a row: anything up to a limit that doubles, so that many who wait spread out. */
export function backoffMs({ firstMs, ceilingMs, random }: Backoff, failures: number): number {
  return random() * Math.min(ceilingMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
