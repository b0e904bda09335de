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

test('reads the subscription of an earlier version, which has no owned partitions', () => {
  // Version 1 as kafkajs writes it: one topic, user data "[0,1]", and no further fields.
  const topic = Buffer.from(TOPIC);
  const user = Buffer.from('[0,1]');
  const head = Buffer.from([0, 1, 0, 0, 0, 1, 0, topic.length]);
  const metadata = Buffer.concat([head, topic, Buffer.from([0, 0, 0, user.length]), user]);
  expect(sharesOf([{ memberId: 'old', metadata }, member('new', [0, 1], 4)])).toEqual({
    new: [0, 1],
    old: [2, 3],
  });
});
