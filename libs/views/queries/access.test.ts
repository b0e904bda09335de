import { expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { EVERYTHING } from '../testing/world.ts';
import { accessKey, requireAccess } from './access.ts';

const some = (...ids: number[]): Access => ({ ...EVERYTHING, competitions: new Set(ids) });

test('refuses competitions outside the contract, and an unknown one unless it covers all', () => {
  for (const [access, competition] of [
    [EVERYTHING, 7],
    [EVERYTHING, null],
    [some(52, 7), 7],
  ] as const)
    requireAccess(access, competition);
  for (const competition of [52, null])
    expect(() => requireAccess(some(7), competition)).toThrow('Outside the contract');
});

test('builds different keys for clients that may see other competitions', () => {
  const keys = [EVERYTHING, some(52), some(52, 7), some(7, 52)].map(accessKey);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe(keys[3]);
});
