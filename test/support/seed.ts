import { inject } from 'vitest';
import { mulberry32 } from '../../services/simulator/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    seed: number;
  }
}

/** Seed of every random test of this run: `SEED`, else derived from the clock. The run prints it (vitest.config.ts). */
export const SEED = inject('seed');

/** Returns a generator of random numbers from 0 to 1, by default with the seed of the run. */
export function seeded(seed = SEED): () => number {
  return mulberry32(seed);
}
