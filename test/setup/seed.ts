import fc from 'fast-check';
import { SEED } from '../support/seed.ts';

fc.configureGlobal({ seed: SEED });
