import { afterAll } from 'vitest';
import { endShared } from '../support/at-end.ts';

afterAll(endShared);
