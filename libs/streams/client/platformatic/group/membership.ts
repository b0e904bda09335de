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

/** What the member changes before it joins again, by the protocol error, and whether others may own its partitions. */
const REJOINS = {
  MEMBER_ID_REQUIRED: [{}, false],
  REBALANCE_IN_PROGRESS: [{}, false],
  ILLEGAL_GENERATION: [{ generation: -1 }, true],
  UNKNOWN_MEMBER_ID: [{ memberId: '', generation: -1 }, true],
  FENCED_INSTANCE_ID: [{ step: 'ended' }, true],
} as const satisfies Record<string, readonly [Partial<Membership>, isLost: boolean]>;
/** The coordinator has moved, or loads. */
const MOVES = ['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS'] as const;

type GroupCode = keyof typeof REJOINS | (typeof MOVES)[number];

/** Protocol errors that change the membership. Any other error means that the group refuses the request. */
export const GROUP_CODES = [...Object.keys(REJOINS), ...MOVES] as readonly GroupCode[];

/** Returns the membership after an assignment in the joined generation. */
export function assigned(membership: Membership, partitions: readonly number[]): Membership {
  const { memberId, generation } = membership;
  return { step: 'heartbeat', memberId, generation, held: { partitions, generation } };
}

/** Decides after an error of the coordinator. `memberId`: the id in its response, for MEMBER_ID_REQUIRED. */
export function refused(
  membership: Membership,
  code: GroupCode | 'other',
  memberId = '',
): MembershipDecision {
  const rejoined = { ...membership, step: 'join' } as const;
  if (code === 'other') return { membership: rejoined, isLost: false, before: 'pause' };
  if (!(code in REJOINS)) return unanswered(membership);
  const [changes, isLost] = REJOINS[code as keyof typeof REJOINS];
  const given = code === 'MEMBER_ID_REQUIRED' ? { memberId } : {};
  return { membership: { ...rejoined, ...changes, ...given }, isLost, before: 'nothing' };
}

/** Sends the same request again: the group keeps the member for a session timeout, and longer when the coordinator is down. */
export function unanswered(membership: Membership): MembershipDecision {
  return { membership, isLost: false, before: 'look-up' };
}
