import { afterAll } from 'vitest';
import { endShared } from '../support/at-end.ts';

/** Ends what the `beforeAll` of the file has started. */
afterAll(endShared);
