import type { TopicPartition } from '../client/port.ts';
import { positionsTopic } from './positions.ts';

/** A topic that a stream writes to. */
type OutputTopic = {
  /** Name on the broker. */
  readonly topic: string;
  /**
   * The partitions that a task writes to: the one with the number of its input partition, as its only writer (`own`) or beside
   * tasks of other streams (`joint`); or any of this many, beside other tasks.
   */
  readonly partitions: 'own' | 'joint' | number;
};

/** The names of a stream and its topics on the broker. */
export type StreamTopics = {
  /** Consumer group, and the first part of the transactional ids and of the positions topic's name. */
  readonly application: string;
  readonly input: string;
  /** State is restored from these; each task writes its own partition of them. */
  readonly changelogs: readonly string[];
  /** Changelogs that have records of other writers too: alone they are no state of this stream. Default: none. */
  readonly mixedChangelogs?: readonly string[];
  /** All other outputs, dead letters included. */
  readonly outputs: readonly OutputTopic[];
};

/** The transactional id of the task of a partition: its epoch is the lock on the partition. */
export function transactionalIdOf({ application, input }: StreamTopics, partition: number): string {
  return `${application}-${input}-${partition}`;
}

/** Every partition that the task of an input partition may write to: its own and shared ones. */
export function writesOf(
  { application, changelogs, outputs }: StreamTopics,
  partition: number,
): { own: TopicPartition[]; shared: TopicPartition[] } {
  const own = [positionsTopic(application), ...changelogs].map((topic) => ({ topic, partition }));
  const shared: TopicPartition[] = [];
  for (const { topic, partitions } of outputs) {
    if (partitions === 'own') own.push({ topic, partition });
    else if (partitions === 'joint') shared.push({ topic, partition });
    else for (let one = 0; one < partitions; one += 1) shared.push({ topic, partition: one });
  }
  return { own, shared };
}
