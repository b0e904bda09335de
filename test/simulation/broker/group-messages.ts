/** The requests and responses of a consumer group, and its state of a member. */
import { ProtocolError } from './protocol-error.ts';

export type GroupMemberState = {
  readonly id: string;
  readonly instanceId: string | null;
  sessionMs: number;
  rebalanceMs: number;
  metadata: unknown;
  /** Responds to the member's join; null when it has not joined the next generation. */
  join: RespondToJoin | null;
  sync: RespondToSync | null;
  seenAt: number;
};

/** Ends the pending join and sync of a member with an error. */
export function failPending(member: GroupMemberState, code: string): void {
  member.join?.(new ProtocolError(code));
  member.sync?.(new ProtocolError(code));
  member.join = null;
  member.sync = null;
}

/** The error of a join without a member id. It has the id to join with. */
export class MemberIdRequired extends ProtocolError {
  readonly response: { readonly memberId: string };

  constructor(memberId: string) {
    super('MEMBER_ID_REQUIRED');
    this.response = { memberId };
  }
}

export type GroupJoin = {
  readonly memberId: string;
  readonly generationId: number;
  readonly leader: string;
  readonly members: readonly { memberId: string; metadata: unknown }[];
  /** Whether the leader must send no assignment, as the current one stays. */
  readonly skipAssignment: boolean;
};

export type Synced = { readonly assignment: unknown };

export type RespondToJoin = (response: GroupJoin | ProtocolError) => void;
export type RespondToSync = (response: Synced | ProtocolError) => void;

/** The assignment of a generation by the leader of a group. */
export type GroupShare = {
  readonly group: string;
  readonly generation: number;
  readonly members: readonly {
    readonly id: string;
    /** The partitions that the member claimed when it joined. */
    readonly owned: readonly number[];
    /** The generation that assigned them. */
    readonly ownedIn: number;
    readonly share: readonly number[];
  }[];
  /** The previous assigned generation, and its members. */
  readonly former: { readonly generation: number; readonly members: ReadonlySet<string> };
};

export type JoinRequest = {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly metadata: unknown;
};

export type Share = { readonly memberId: string; readonly assignment: unknown };

type OfTopics = readonly { readonly partitions: readonly number[] }[];
export type GroupSubscription = { readonly ownedPartitions: OfTopics; readonly generationId: number };
export type Assignment = { readonly assignedPartitions: OfTopics };

/** Returns the partitions of the only topic of a group. */
export function partitionsIn(topics: OfTopics | undefined): readonly number[] {
  return topics?.[0]?.partitions ?? [];
}
