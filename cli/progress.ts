/** How far the processors are, as the broker knows it. */

import { inputProgress, type PartitionProgress } from '#cluster/logs.ts';
import { quiet } from '#streams/log.ts';
import { groupMembers, topicPartitions } from '#topics/admin.ts';
import { type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import type { TopicCluster } from '#topics/read-values.ts';

/** The progress of a processor, and how many processes share its work; null where its topics are not there. Rejects with `StreamError`, `TopicAdminError`. */
export async function processorProgress(
  { brokers, prefix }: TopicCluster,
  processor: ProcessorName,
): Promise<{ readonly members: number; readonly partitions: readonly PartitionProgress[] } | null> {
  const { application, input } = streamTopics(prefix, processor);
  const needed = [input, positionsTopicName(prefix, processor)];
  const there = await Promise.all(needed.map((name) => topicPartitions(brokers, name)));
  if (there.includes(0)) return null;
  const [members, partitions] = await Promise.all([
    groupMembers(brokers, application),
    inputProgress({ brokers, application, input, log: quiet }),
  ]);
  return { members, partitions };
}
