import { inject } from 'vitest';
import { mulberry32 } from '../../services/simulator/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    seed: number;
  }
}

/** Seed of every random test of this run: from `SEED`, else by the clock. The run prints it (vitest.config.ts). */
export const SEED = inject('seed');

/** The random numbers of a test, from 0 to 1; those of the run's seed where none is given. */
export function seeded(seed = SEED): () => number {
  return mulberry32(seed);
}
