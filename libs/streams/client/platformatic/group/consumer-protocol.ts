/** The messages that members exchange through the coordinator, in the formats of Kafka's own consumers (KIP-429, KIP-792). */
import {
  decodeConsumerProtocolAssignment,
  decodeConsumerProtocolSubscription,
  encodeConsumerProtocolAssignment,
  encodeConsumerProtocolSubscription,
} from '../library.ts';
import { assignPartitions, type OwnershipClaim } from './assignment.ts';

/** Name of the assignor, the same for all members of a group. */
export const PROTOCOL = 'touchline-sticky';
/** First version of the subscription format with owned partitions and their generation. */
const VERSION = 2;

/** A member as the coordinator sends it to the leader of the group. */
type JoinedMember = { readonly memberId: string; readonly metadata: Buffer };

/** Encodes the subscription that a member joins with. */
export function encodeSubscription(topic: string, { partitions, generation }: OwnershipClaim): Buffer {
  return encodeConsumerProtocolSubscription({
    version: VERSION,
    topics: [topic],
    ownedPartitions: [{ topic, partitions: [...partitions] }],
    generationId: generation,
  });
}

/** Assigns the partitions and returns each member's encoded share, for the leader's SyncGroup request. */
export function assignmentOf(
  topic: string,
  count: number,
  members: readonly JoinedMember[],
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
