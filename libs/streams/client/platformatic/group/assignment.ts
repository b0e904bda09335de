/** The messages that members exchange through the coordinator, in the formats of Kafka's own consumers (KIP-429, KIP-792). */
import {
  decodeConsumerProtocolAssignment,
  decodeConsumerProtocolSubscription,
  encodeConsumerProtocolAssignment,
  encodeConsumerProtocolSubscription,
} from '../library.ts';

/** Name of the assignor, the same for all members of a group. */
export const PROTOCOL = 'touchline-sticky';
/** First version of the subscription format with owned partitions and their generation. */
const VERSION = 2;

/** The partitions that a joining member claims to own. */
export type OwnershipClaim = {
  readonly partitions: readonly number[];
  /** Generation of the group that assigned the partitions; -1 without one. */
  readonly generation: number;
};

/**
 * Assigns partitions by member name: shares differ by at most one. A member keeps what it owned up to its share; those of the
 * latest generation choose first. Does not depend on the order of the inputs.
 */
export function assignPartitions(
  partitions: readonly number[],
  claims: ReadonlyMap<string, OwnershipClaim>,
): Map<string, number[]> {
  const free = new Set([...partitions].sort((a, b) => a - b));
  const floor = Math.floor(partitions.length / claims.size);
  let larger = partitions.length % claims.size;
  const shares = new Map<string, number[]>();
  const latestFirst = [...claims].sort(
    ([a, one], [b, other]) => other.generation - one.generation || (a < b ? -1 : 1),
  );
  for (const [member, claim] of latestFirst) {
    const share: number[] = [];
    shares.set(member, share);
    for (const partition of claim.partitions) {
      const full = share.length >= floor + (larger > 0 ? 1 : 0);
      if (full || !free.delete(partition)) continue;
      share.push(partition);
      if (share.length > floor) larger -= 1;
    }
  }
  for (const partition of free) {
    const least = [...shares.values()].reduce((a, b) => (b.length < a.length ? b : a));
    least.push(partition);
  }
  for (const share of shares.values()) share.sort((a, b) => a - b);
  return shares;
}

/** Encodes the subscription that a member joins with. */
export function encodeSubscription(topic: string, { partitions, generation }: OwnershipClaim): Buffer {
  return encodeConsumerProtocolSubscription({
    version: VERSION,
    topics: [topic],
    ownedPartitions: [{ topic, partitions: [...partitions] }],
    generationId: generation,
  });
}

/** Returns each member's encoded share, for the leader's SyncGroup request. `members`: as the coordinator sends them to the leader. */
export function assignmentOf(
  topic: string,
  count: number,
  members: readonly { readonly memberId: string; readonly metadata: Buffer }[],
): { memberId: string; assignment: Buffer }[] {
  const partitions = Array.from({ length: count }, (_, partition) => partition);
  const claims = new Map(members.map(({ memberId, metadata }) => [memberId, claimIn(topic, metadata)]));
  return [...assignPartitions(partitions, claims)].map(([memberId, share]) => ({
    memberId,
    assignment: encodeConsumerProtocolAssignment({
      version: VERSION,
      assignedPartitions: [{ topic, partitions: share }],
    }),
  }));
}

/** Returns the partitions of an encoded assignment. */
export function decodeAssignment(topic: string, assignment: Buffer): number[] {
  const { assignedPartitions } = decodeConsumerProtocolAssignment(assignment);
  return assignedPartitions.find((one) => one.topic === topic)?.partitions ?? [];
}

function claimIn(topic: string, metadata: Buffer): OwnershipClaim {
  const { ownedPartitions, generationId } = decodeConsumerProtocolSubscription(metadata);
  const owned = ownedPartitions.find((one) => one.topic === topic);
  return { partitions: owned?.partitions ?? [], generation: generationId };
}
