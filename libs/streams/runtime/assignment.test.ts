import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignPartitions } from './assignment.ts';

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const claims = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 4 }),
  fc.array(fc.nat(20), { maxLength: 12 }),
  {
    minKeys: 1,
    maxKeys: 6,
  },
);

describe('assignPartitions', () => {
  test('every partition has one owner and shares differ by one at most', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claimed) => {
        const shares = assignPartitions(range(count), new Map(Object.entries(claimed)));
        expect([...shares.values()].flat().sort((a, b) => a - b)).toEqual(range(count));
        const sizes = [...shares.values()].map((share) => share.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('the order of members does not matter', () => {
    fc.assert(
      fc.property(claims, (claimed) => {
        const entries = Object.entries(claimed);
        expect(assignPartitions(range(8), new Map(entries.toReversed()))).toEqual(
          assignPartitions(range(8), new Map(entries)),
        );
      }),
    );
  });

  test('a second assignment with the claims of the first changes nothing', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claimed) => {
        const first = assignPartitions(range(count), new Map(Object.entries(claimed)));
        expect(assignPartitions(range(count), first)).toEqual(first);
      }),
    );
  });

  test.each([
    ['a new member gets only the surplus', { a: [0, 1, 2, 3], b: [] }, { a: [0, 1], b: [2, 3] }],
    ['the partitions of a lost member are shared', { a: [0, 1] }, { a: [0, 1, 2, 3] }],
    [
      'two that claim the same: the first by name keeps it',
      { b: [0, 1], a: [0, 1] },
      { a: [0, 1], b: [2, 3] },
    ],
    [
      'more members than partitions',
      { a: [], b: [], c: [], d: [], e: [] },
      { a: [0], b: [1], c: [2], d: [3], e: [] },
    ],
  ])('%s', (_, claimed, expected) => {
    expect(Object.fromEntries(assignPartitions(range(4), new Map(Object.entries(claimed))))).toEqual(
      expected,
    );
  });
});
