/** The state of a group member, and how each response of the coordinator changes it. */
import type { OwnershipClaim } from './assignment.ts';

/** The state of a group member. */
export type Membership = {
  /** The next request. `ended`: no request, as another process uses the same instance id. */
  readonly step: 'join' | 'heartbeat' | 'ended';
  /** Set by the coordinator; empty until then. */
  readonly memberId: string;
  /** The joined generation; -1 for none. */
  readonly generation: number;
  /** The last assignment, which the member claims when it joins again. */
  readonly held: OwnershipClaim;
};

/** The new state after a failed request. */
export type MembershipDecision = {
  readonly membership: Membership;
  /** Whether other members may own the partitions now. */
  readonly isLost: boolean;
  /** The step before the next request: `look-up` finds the coordinator; `pause` waits, as the group refuses the request. */
  readonly before: 'nothing' | 'look-up' | 'pause';
};

export const NOT_A_MEMBER: Membership = {
  step: 'join',
  memberId: '',
  generation: -1,
  held: { partitions: [], generation: -1 },
};

/** Protocol errors that change the membership. Any other error means that the group refuses the request. */
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

/** Returns the membership after a join: the member waits for its share of the generation. */
export function joined(membership: Membership, memberId: string, generation: number): Membership {
  return { ...membership, memberId, generation };
}

/** Returns the membership after an assignment in the joined generation. */
export function assigned(membership: Membership, partitions: readonly number[]): Membership {
  const { memberId, generation } = membership;
  return { step: 'heartbeat', memberId, generation, held: { partitions, generation } };
}

/** Decides after an error of the coordinator. `memberId`: the id in its response, for MEMBER_ID_REQUIRED. */
export function refused(
  membership: Membership,
  code: (typeof GROUP_CODES)[number] | 'other',
  memberId = '',
): MembershipDecision {
  const rejoin = (changes: Partial<Membership>, isLost = false): MembershipDecision => ({
    membership: { ...membership, step: 'join', ...changes },
    isLost,
    before: 'nothing',
  });
  switch (code) {
    case 'MEMBER_ID_REQUIRED':
      return rejoin({ memberId });
    case 'REBALANCE_IN_PROGRESS':
      return rejoin({});
    case 'ILLEGAL_GENERATION':
      return rejoin({ generation: -1 }, true);
    case 'UNKNOWN_MEMBER_ID':
      return rejoin({ memberId: '', generation: -1 }, true);
    case 'FENCED_INSTANCE_ID':
      return rejoin({ step: 'ended' }, true);
    case 'NOT_COORDINATOR':
    case 'COORDINATOR_NOT_AVAILABLE':
    case 'COORDINATOR_LOAD_IN_PROGRESS':
      return unanswered(membership);
    case 'other':
      return { ...rejoin({}), before: 'pause' };
  }
}

/** Sends the same request again: the group keeps the member for a session timeout, and longer when the coordinator is down. */
export function unanswered(membership: Membership): MembershipDecision {
  return { membership, isLost: false, before: 'look-up' };
}
