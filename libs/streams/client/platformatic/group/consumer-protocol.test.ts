import { expect, test } from 'vitest';
import { assignmentOf, decodeAssignment, encodeSubscription } from './consumer-protocol.ts';

const TOPIC = 'messages';
const member = (memberId: string, partitions: readonly number[], generation: number) => ({
  memberId,
  metadata: encodeSubscription(TOPIC, { partitions, generation }),
});

/** The share of each member as it decodes it. */
function sharesOf(members: Parameters<typeof assignmentOf>[2]): Record<string, number[]> {
  const shares = assignmentOf(TOPIC, 4, members);
  return Object.fromEntries(
    shares.map(({ memberId, assignment }) => [memberId, decodeAssignment(TOPIC, assignment)]),
  );
}

test('the share of a later generation stays', () => {
  expect(sharesOf([member('a', [0, 1], 3), member('b', [0, 1, 2, 3], 4)])).toEqual({
    a: [2, 3],
    b: [0, 1],
  });
});

test('a member without partitions has an empty share', () => {
  const members = ['a', 'b', 'c', 'd', 'e'].map((name) => member(name, [], -1));
  expect(sharesOf(members).e).toEqual([]);
});

test('reads the subscription of a member of an earlier version, which names no partitions', () => {
  // Version 1, one topic, user data "[0,1]", nothing behind it: as kafkajs writes it.
  const topic = Buffer.from(TOPIC);
  const user = Buffer.from('[0,1]');
  const head = Buffer.from([0, 1, 0, 0, 0, 1, 0, topic.length]);
  const metadata = Buffer.concat([head, topic, Buffer.from([0, 0, 0, user.length]), user]);
  expect(sharesOf([{ memberId: 'old', metadata }, member('new', [0, 1], 4)])).toEqual({
    new: [0, 1],
    old: [2, 3],
  });
});
