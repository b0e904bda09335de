/** What a member of a group knows of itself, and what follows from an answer of the coordinator. */
import type { Claim } from '../../../runtime/assignment.ts';

export type Membership = {
  /** What it asks next: to join, or whether it is still a member. `ended`: another process has its instance id. */
  readonly step: 'join' | 'heartbeat' | 'ended';
  /** Given by the coordinator; empty before that. */
  readonly memberId: string;
  /** The generation that it has joined; -1 outside of any. */
  readonly generation: number;
  /** Its last assignment. A member that left or was removed claims it when it joins again. */
  readonly held: Claim;
};

/** What follows from an answer. */
export type Decision = {
  readonly membership: Membership;
  /** Whether its partitions may have other owners by now. */
  readonly isLost: boolean;
  /** Before the next request: nothing, a look-up of the coordinator, or a pause as the request is refused as such. */
  readonly before: 'nothing' | 'look-up' | 'pause';
};

export const NOT_A_MEMBER: Membership = {
  step: 'join',
  memberId: '',
  generation: -1,
  held: { partitions: [], generation: -1 },
};

/** Codes of the protocol that decide what a member does. Any other one refuses the request as such. */
export const GROUP_CODES = [
  'MEMBER_ID_REQUIRED',
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
  'NOT_COORDINATOR',
  'COORDINATOR_NOT_AVAILABLE',
  'COORDINATOR_LOAD_IN_PROGRESS',
] as const;

export type GroupCode = (typeof GROUP_CODES)[number];

/** It has joined a generation and waits for its share. */
export function joined(membership: Membership, memberId: string, generation: number): Membership {
  return { ...membership, memberId, generation };
}

/** It has its share of the generation that it joined. */
export function assigned(membership: Membership, partitions: readonly number[]): Membership {
  const { memberId, generation } = membership;
  return { step: 'heartbeat', memberId, generation, held: { partitions, generation } };
}

/** The coordinator refused a request; `memberId`: what its answer names, as with MEMBER_ID_REQUIRED. */
export function refused(membership: Membership, code: GroupCode | 'other', memberId = ''): Decision {
  const again = (changes: Partial<Membership>, isLost = false): Decision => ({
    membership: { ...membership, step: 'join', ...changes },
    isLost,
    before: 'nothing',
  });
  switch (code) {
    case 'MEMBER_ID_REQUIRED':
      return again({ memberId });
    case 'REBALANCE_IN_PROGRESS':
      return again({});
    case 'ILLEGAL_GENERATION':
      return again({ generation: -1 }, true);
    case 'UNKNOWN_MEMBER_ID':
      return again({ memberId: '', generation: -1 }, true);
    case 'FENCED_INSTANCE_ID':
      return again({ step: 'ended' }, true);
    case 'NOT_COORDINATOR':
    case 'COORDINATOR_NOT_AVAILABLE':
    case 'COORDINATOR_LOAD_IN_PROGRESS':
      return unanswered(membership);
    case 'other':
      return { ...again({}), before: 'pause' };
  }
}

/**
 * No answer, or one of a broker that is not the coordinator: the group knows the member for a session timeout, and after
 * that too where the coordinator was down, so the same request tells.
 */
export function unanswered(membership: Membership): Decision {
  return { membership, isLost: false, before: 'look-up' };
}
