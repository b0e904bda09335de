import { inputProgress, type PartitionProgress } from '#cluster/logs.ts';
import { groupMembers, topicPartitions } from '#topics/admin.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';

/**
 * Returns the progress of a processor as the broker knows it, and the number of processes that share its work; null when its
 * topics do not exist. Rejects with `StreamError`, `TopicAdminError`.
 */
export async function processorProgress(
  { brokers, prefix }: TopicCluster,
  processor: ProcessorName,
): Promise<{ readonly members: number; readonly partitions: readonly PartitionProgress[] } | null> {
  const { application, input } = streamTopics(prefix, processor);
  const required = [input, positionsTopicName(prefix, processor)];
  const partitionCounts = await Promise.all(required.map((name) => topicPartitions(brokers, name)));
  if (partitionCounts.includes(0)) return null;
  const [members, partitions] = await Promise.all([
    groupMembers(brokers, application),
    inputProgress({ brokers, application, input }),
  ]);
  return { members, partitions };
}
