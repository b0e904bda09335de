import { expect, test } from 'vitest';
import { assignmentOf, decodeAssignment, encodeSubscription } from './consumer-protocol.ts';

const TOPIC = 'messages';
const member = (memberId: string, partitions: readonly number[], generation: number) => ({
  memberId,
  metadata: encodeSubscription(TOPIC, { partitions, generation }),
});

/** Returns the decoded share of each member. */
function sharesOf(members: Parameters<typeof assignmentOf>[2]): Record<string, number[]> {
  const shares = assignmentOf(TOPIC, 4, members);
  return Object.fromEntries(
    shares.map(({ memberId, assignment }) => [memberId, decodeAssignment(TOPIC, assignment)]),
  );
}

test('keeps the share of a later generation', () => {
  expect(sharesOf([member('a', [0, 1], 3), member('b', [0, 1, 2, 3], 4)])).toEqual({
    a: [2, 3],
    b: [0, 1],
  });
});

test('encodes an empty share for a member without partitions', () => {
  const members = ['a', 'b', 'c', 'd', 'e'].map((name) => member(name, [], -1));
  expect(sharesOf(members).e).toEqual([]);
});
