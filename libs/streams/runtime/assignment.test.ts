import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignPartitions, type Claim } from './assignment.ts';

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const claim = fc.record({
  partitions: fc.array(fc.nat(20), { maxLength: 12 }),
  generation: fc.integer({ min: -1, max: 3 }),
});
const claims = fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), claim, { minKeys: 1, maxKeys: 6 });

/** Claims of one generation. */
const claimed = (owned: Readonly<Record<string, readonly number[]>>, generation = 1): Map<string, Claim> =>
  new Map(Object.entries(owned).map(([member, partitions]) => [member, { partitions, generation }]));

describe('assignPartitions', () => {
  test('every partition has one owner and shares differ by one at most', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claims) => {
        const shares = assignPartitions(range(count), new Map(Object.entries(claims)));
        expect([...shares.values()].flat().sort((a, b) => a - b)).toEqual(range(count));
        const sizes = [...shares.values()].map((share) => share.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('the order of members does not matter', () => {
    fc.assert(
      fc.property(claims, (claims) => {
        const entries = Object.entries(claims);
        expect(assignPartitions(range(8), new Map(entries.toReversed()))).toEqual(
          assignPartitions(range(8), new Map(entries)),
        );
      }),
    );
  });

  test('a second assignment with the claims of the first changes nothing', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claims) => {
        const first = assignPartitions(range(count), new Map(Object.entries(claims)));
        expect(assignPartitions(range(count), claimed(Object.fromEntries(first)))).toEqual(first);
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
  ])('%s', (_, owned, expected) => {
    expect(Object.fromEntries(assignPartitions(range(4), claimed(owned)))).toEqual(expected);
  });

  test('a member that was out of the group gets what is due to it, and moves nothing else', () => {
    const returned = new Map([
      // By its name it would come first.
      ...claimed({ a: [0, 1, 2] }, 4),
      ...claimed({ b: [0, 1, 2], c: [3, 4, 5] }, 5),
    ]);
    expect(Object.fromEntries(assignPartitions(range(6), returned))).toEqual({
      a: [2, 5],
      b: [0, 1],
      c: [3, 4],
    });
  });

  test('a larger share goes to who owns one, not to a member that was out of the group', () => {
    const returned = new Map([
      // By its name it would come first; who owned 0 and 1 since has died.
      ...claimed({ a: [0, 1] }, 2),
      ...claimed({ b: [2, 3] }, 3),
      ...claimed({ c: [] }, -1),
    ]);
    expect(Object.fromEntries(assignPartitions(range(4), returned))).toEqual({ a: [0], b: [2, 3], c: [1] });
  });

  test('no partition moves that a returning member does not get', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), claims, (count, claims) => {
        const before = assignPartitions(range(count), new Map(Object.entries(claims)));
        const stale = claimed({ ' zombie': range(count) }, 0);
        const after = assignPartitions(
          range(count),
          new Map([...claimed(Object.fromEntries(before), 1), ...stale]),
        );
        const moved = [...before].flatMap(([member, share]) =>
          share.filter((partition) => !after.get(member)?.includes(partition)),
        );
        expect(moved.length).toBe(after.get(' zombie')?.length);
      }),
    );
  });
});
