/** How far the processors are, as the broker knows it. */
import { readPositions, topicBounds } from '#cluster/logs.ts';
import { quiet } from '#streams/log.ts';
import { groupMembers, topicPartitions } from '#topics/admin.ts';
import { type ProcessorName, positionsTopicName, streamTopics } from '#topics/processors.ts';
import type { ClusterSettings } from './cluster.ts';

/** A partition of a processor's input, and how far it has been processed. */
export type PartitionProgress = {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
  /** Null where nothing was committed yet. */
  readonly position: number | null;
};

/** A processor's progress, and how many processes share the work. */
export type ProcessorProgress = {
  readonly members: number;
  readonly partitions: readonly PartitionProgress[];
};

/** The progress of a processor; null where its topics are not there. Rejects with `StreamError`, `TopicAdminError`. */
export async function processorProgress(
  { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix }: ClusterSettings,
  processor: ProcessorName,
): Promise<ProcessorProgress | null> {
  const { application, input } = streamTopics(prefix, processor);
  const needed = [input, positionsTopicName(prefix, processor)];
  const there = await Promise.all(needed.map((name) => topicPartitions(brokers, name)));
  if (there.includes(0)) return null;
  const [members, positions, bounds] = await Promise.all([
    groupMembers(brokers, application),
    readPositions({ brokers, application, log: quiet }),
    topicBounds({ brokers, clientId: 'touchline-progress' }, [input]),
  ]);
  return {
    members,
    partitions: bounds.map(({ partition, start, end }) => ({
      partition,
      start,
      end,
      position: positions.get(partition) ?? null,
    })),
  };
}

/** Records that wait in these partitions. */
export function behindOf(partitions: readonly PartitionProgress[]): number {
  return partitions.reduce(
    (sum, { start, end, position }) => sum + Math.max(0, end - (position ?? start)),
    0,
  );
}
