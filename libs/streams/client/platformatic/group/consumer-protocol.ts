/** What members tell each other by way of the coordinator: the formats of Kafka's own consumers (KIP-429, KIP-792). */
import { assignPartitions, type Claim } from '../../../runtime/assignment.ts';
import {
  decodeConsumerProtocolAssignment,
  decodeConsumerProtocolSubscription,
  encodeConsumerProtocolAssignment,
  encodeConsumerProtocolSubscription,
} from '../library.ts';

/** The name of the assignor: all members of a group have the same. */
export const PROTOCOL = 'touchline-sticky';
/** The first version of a subscription with owned partitions and their generation. */
const VERSION = 2;

/** A member as the coordinator shows it to the leader of the group. */
export type JoinedMember = { readonly memberId: string; readonly metadata: Buffer };

/** What a member says when it joins. */
export function encodeSubscription(topic: string, { partitions, generation }: Claim): Buffer {
  return encodeConsumerProtocolSubscription({
    version: VERSION,
    topics: [topic],
    // Empty and not null: what a member of an earlier version reads, as leader during an upgrade.
    userData: '',
    ownedPartitions: [{ topic, partitions: [...partitions] }],
    generationId: generation,
  });
}

/** The share of each member, as the leader of the group sends it. */
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

/** The partitions of an assignment. */
export function decodeAssignment(topic: string, assignment: Buffer): number[] {
  const { assignedPartitions } = decodeConsumerProtocolAssignment(assignment);
  return assignedPartitions.find((one) => one.topic === topic)?.partitions ?? [];
}

function claimIn(topic: string, metadata: Buffer): Claim {
  const { ownedPartitions, generationId } = decodeConsumerProtocolSubscription(metadata);
  const owned = ownedPartitions.find((one) => one.topic === topic);
  return { partitions: owned?.partitions ?? [], generation: generationId };
}
