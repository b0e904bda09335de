/** The state of a group member, and how each response of the coordinator changes it. */
import type { OwnershipClaim } from './assignment.ts';

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

/** By the protocol error: what changes, whether others may own the partitions, and the step before the next request. */
const DECISIONS = {
  MEMBER_ID_REQUIRED: [{ step: 'join' }, false, 'nothing'],
  REBALANCE_IN_PROGRESS: [{ step: 'join' }, false, 'nothing'],
  ILLEGAL_GENERATION: [{ step: 'join', generation: -1 }, true, 'nothing'],
  UNKNOWN_MEMBER_ID: [{ step: 'join', memberId: '', generation: -1 }, true, 'nothing'],
  FENCED_INSTANCE_ID: [{ step: 'ended' }, true, 'nothing'],
  /** The group refuses the request. */
  other: [{ step: 'join' }, false, 'pause'],
  /** The same request is sent again: the group keeps the member for a session timeout, and longer when the coordinator is down. */
  unanswered: [{}, false, 'look-up'],
} as const satisfies Record<
  string,
  readonly [Partial<Membership>, isLost: boolean, MembershipDecision['before']]
>;

type FailedRequest = keyof typeof DECISIONS;

export const FAILED_REQUESTS = Object.keys(DECISIONS) as readonly FailedRequest[];

/** Decides after a failed request. `memberId`: the id in its response, for MEMBER_ID_REQUIRED. */
export function decide(membership: Membership, failed: FailedRequest, memberId = ''): MembershipDecision {
  const [changes, isLost, before] = DECISIONS[failed];
  const given = failed === 'MEMBER_ID_REQUIRED' ? { memberId } : {};
  return { membership: { ...membership, ...changes, ...given }, isLost, before };
}
