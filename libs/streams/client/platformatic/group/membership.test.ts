import { expect, test } from 'vitest';
import { decide, FAILED_REQUESTS } from './membership.ts';

const held = { partitions: [1, 2], generation: 7 };
/** A member in generation 7 with two partitions. */
const member = { step: 'heartbeat', memberId: 'm', generation: 7, held } as const;

test.each([
  ['MEMBER_ID_REQUIRED', { step: 'join', memberId: 'given' }, false, 'nothing'],
  ['REBALANCE_IN_PROGRESS', { step: 'join', memberId: 'm', generation: 7 }, false, 'nothing'],
  ['ILLEGAL_GENERATION', { step: 'join', memberId: 'm', generation: -1 }, true, 'nothing'],
  ['UNKNOWN_MEMBER_ID', { step: 'join', memberId: '', generation: -1 }, true, 'nothing'],
  ['FENCED_INSTANCE_ID', { step: 'ended' }, true, 'nothing'],
  ['other', { step: 'join', memberId: 'm', generation: 7 }, false, 'pause'],
  ['unanswered', member, false, 'look-up'],
] as const)('decides after %s', (failed, membership, isLost, before) => {
  expect(decide(member, failed, 'given')).toMatchObject({ membership, isLost, before });
});

test('keeps the claimed partitions, with the generation that assigned them', () => {
  for (const failed of FAILED_REQUESTS) expect(decide(member, failed).membership.held).toEqual(held);
});
