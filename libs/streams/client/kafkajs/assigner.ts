import kafkajs, { type PartitionAssigner } from 'kafkajs';
import { assignPartitions } from '../../runtime/assignment.ts';

const { AssignerProtocol } = kafkajs;
const NAME = 'touchline-sticky';
const VERSION = 1;

/**
 * Leaves a member its partitions where that is fair.
 * `owned` returns the partitions that this member holds when it joins.
 */
export function stickyAssigner(topic: string, owned: () => readonly number[]): PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: Buffer.from(JSON.stringify(owned())),
      }),
    }),
    async assign({ members, topics }) {
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const claims = new Map(
        members.map(({ memberId, memberMetadata }): [string, readonly number[]] => [
          memberId,
          JSON.parse(AssignerProtocol.MemberMetadata.decode(memberMetadata)?.userData.toString() || '[]'),
        ]),
      );
      return [...assignPartitions(partitions, claims)].map(([memberId, mine]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(topics.map((topic) => [topic, [...mine]])),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}
