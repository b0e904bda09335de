import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignmentOf, assignPartitions, decodeAssignment, encodeSubscription } from './assignment.ts';

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const partitions = fc.array(fc.nat(20), { maxLength: 12 });
const claim = fc.record({ partitions, generation: fc.integer({ min: -1, max: 3 }) });
const claims = fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), claim, { minKeys: 1, maxKeys: 6 });

/** Claims of one generation. */
const claimed = (owned: Readonly<Record<string, readonly number[]>>, generation = 1) =>
  new Map(Object.entries(owned).map(([member, partitions]) => [member, { partitions, generation }]));

describe('assignPartitions', () => {
  test('gives every partition one owner, with shares that differ by at most one', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claims) => {
        const shares = assignPartitions(range(count), new Map(Object.entries(claims)));
        expect([...shares.values()].flat().sort((a, b) => a - b)).toEqual(range(count));
        const sizes = [...shares.values()].map((share) => share.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('does not depend on the order of members', () => {
    fc.assert(
      fc.property(claims, (claims) => {
        const entries = Object.entries(claims);
        const shares = (of: typeof entries) => assignPartitions(range(8), new Map(of));
        expect(shares(entries.toReversed())).toEqual(shares(entries));
      }),
    );
  });

  test('returns the same assignment for the claims of an assignment', () => {
    fc.assert(
      fc.property(fc.nat(16), claims, (count, claims) => {
        const first = assignPartitions(range(count), new Map(Object.entries(claims)));
        expect(assignPartitions(range(count), claimed(Object.fromEntries(first)))).toEqual(first);
      }),
    );
  });

  test.each([
    ['moves only the surplus to a new member', { a: [0, 1, 2, 3], b: [] }, { a: [0, 1], b: [2, 3] }],
    ['distributes the partitions of a lost member', { a: [0, 1] }, { a: [0, 1, 2, 3] }],
    ['keeps a partition that two claim with the first', { b: [0, 1], a: [0, 1] }, { a: [0, 1], b: [2, 3] }],
    [
      'gives no partition to surplus members',
      { a: [], b: [], c: [], d: [], e: [] },
      { a: [0], b: [1], c: [2], d: [3], e: [] },
    ],
  ])('%s', (_, owned, expected) => {
    expect(Object.fromEntries(assignPartitions(range(4), claimed(owned)))).toEqual(expected);
  });

  test('moves only its share to a member that was out of the group', () => {
    const back = new Map([
      // By its name it would come first.
      ...claimed({ a: [0, 1, 2] }, 4),
      ...claimed({ b: [0, 1, 2], c: [3, 4, 5] }, 5),
    ]);
    expect(Object.fromEntries(assignPartitions(range(6), back))).toEqual({ a: [2, 5], b: [0, 1], c: [3, 4] });
  });

  test('gives a larger share to its owner, not to a member that was out of the group', () => {
    const returned = new Map([
      // By its name it would come first; the later owner of 0 and 1 has died.
      ...claimed({ a: [0, 1] }, 2),
      ...claimed({ b: [2, 3] }, 3),
      ...claimed({ c: [] }, -1),
    ]);
    expect(Object.fromEntries(assignPartitions(range(4), returned))).toEqual({ a: [0], b: [2, 3], c: [1] });
  });

  test('moves no partitions except those that a returning member gets', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), claims, (count, claims) => {
        const before = assignPartitions(range(count), new Map(Object.entries(claims)));
        const stale = claimed({ ' zombie': range(count) }, 0);
        const again = new Map([...claimed(Object.fromEntries(before), 1), ...stale]);
        const after = assignPartitions(range(count), again);
        const moved = [...before].flatMap(([member, share]) =>
          share.filter((partition) => !after.get(member)?.includes(partition)),
        );
        expect(moved.length).toBe(after.get(' zombie')?.length);
      }),
    );
  });
});

test('sends claims and shares through the coordinator; a member without partitions has an empty share', () => {
  const member = ([memberId, [partitions, generation]]: [string, [number[], number]]) => ({
    memberId,
    metadata: encodeSubscription('messages', { partitions, generation }),
  });
  const claims = { a: [[0, 1], 3], b: [[0, 1, 2, 3], 4], c: [[], -1] } as Record<string, [number[], number]>;
  const shares = assignmentOf('messages', 2, Object.entries(claims).map(member));
  expect(
    Object.fromEntries(shares.map((of) => [of.memberId, decodeAssignment('messages', of.assignment)])),
  ).toEqual({ a: [1], b: [0], c: [] });
});
