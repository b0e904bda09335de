import fc from 'fast-check';
import { rounds } from '../support/rounds.ts';
import { SEED } from '../support/seed.ts';

fc.configureGlobal({ seed: SEED, numRuns: rounds(100) });
