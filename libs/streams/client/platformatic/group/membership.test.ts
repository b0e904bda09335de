import { describe, expect, test } from 'vitest';
import { assigned, GROUP_CODES, NOT_A_MEMBER, refused, unanswered } from './membership.ts';

const held = { partitions: [1, 2], generation: 7 };
/** A member in generation 7 with two partitions. */
const member = assigned({ ...NOT_A_MEMBER, memberId: 'm', generation: 7 }, [1, 2]);

test('sends heartbeats after an assignment', () => {
  expect(member).toEqual({ step: 'heartbeat', memberId: 'm', generation: 7, held });
});

describe('refused', () => {
  test.each([
    ['MEMBER_ID_REQUIRED', { step: 'join', memberId: 'given' }, false, 'nothing'],
    ['REBALANCE_IN_PROGRESS', { step: 'join', memberId: 'm', generation: 7 }, false, 'nothing'],
    ['ILLEGAL_GENERATION', { step: 'join', memberId: 'm', generation: -1 }, true, 'nothing'],
    ['UNKNOWN_MEMBER_ID', { step: 'join', memberId: '', generation: -1 }, true, 'nothing'],
    ['FENCED_INSTANCE_ID', { step: 'ended' }, true, 'nothing'],
    ['NOT_COORDINATOR', { step: 'heartbeat', memberId: 'm', generation: 7 }, false, 'look-up'],
    ['COORDINATOR_NOT_AVAILABLE', { step: 'heartbeat', memberId: 'm', generation: 7 }, false, 'look-up'],
    ['COORDINATOR_LOAD_IN_PROGRESS', { step: 'heartbeat', memberId: 'm', generation: 7 }, false, 'look-up'],
    ['other', { step: 'join', memberId: 'm' }, false, 'pause'],
  ] as const)('decides after %s', (code, membership, isLost, before) => {
    const decision = refused(member, code, 'given');
    expect(decision).toMatchObject({ membership, isLost, before });
  });

  test('keeps the claimed partitions, with the generation that assigned them', () => {
    for (const code of GROUP_CODES) expect(refused(member, code).membership.held).toEqual(held);
  });
});

test('sends the same request again after no response, and looks up the coordinator', () => {
  expect(unanswered(member)).toEqual({ membership: member, isLost: false, before: 'look-up' });
});
