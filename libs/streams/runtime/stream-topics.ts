import type { PoisonError } from '#errors/touchline-error.ts';
import type { MachineClock } from '#timing/clock.ts';
import {
  type FetchedRecord,
  type OutputRecord,
  partitionsUpTo,
  type StreamClient,
  type TopicPartition,
} from '../client/port.ts';
import type { Logger } from '../log.ts';
import type { StreamMetrics } from './metrics.ts';
import { positionsTopic } from './positions.ts';
import type { PartitionProcessor } from './processor.ts';

/** The names of a stream and its topics on the broker. */
export type StreamTopics = {
  /** Consumer group, and prefix of the transactional ids and of the positions topic's name. */
  readonly application: string;
  readonly input: string;
  /** Topics that tasks restore their state from. Each task is the only writer of its own partition of them. */
  readonly changelogs: readonly string[];
  /**
   * All other output topics, including dead letters. A task writes to its input partition's number alone (`own`), or to any of as many
   * partitions, shared with others (`input`, a number).
   */
  readonly outputs: readonly { readonly topic: string; readonly partitions: 'own' | 'input' | number }[];
};

/** Returns the transactional id of a partition's task; its epoch is the lock on the partition. */
export function transactionalIdOf({ application, input }: StreamTopics, partition: number): string {
  return `${application}-${input}-${partition}`;
}

/** Returns the outputs of which each partition has one task as its only writer. */
export function ownOutputs({ outputs }: Pick<StreamTopics, 'outputs'>): string[] {
  return outputs.filter(({ partitions }) => partitions === 'own').map(({ topic }) => topic);
}

/** Returns the partitions that the task of an input partition may write to: as their only writer, and shared with others. */
export function writesOf(
  topics: Pick<TaskContext, 'application' | 'changelogs' | 'outputs' | 'partitions'>,
  partition: number,
): { own: TopicPartition[]; shared: TopicPartition[] } {
  const { application, changelogs, outputs } = topics;
  const own = [positionsTopic(application), ...changelogs, ...ownOutputs(topics)];
  const shared = outputs.flatMap(({ topic, partitions: of }) =>
    of === 'own' ? [] : partitionsUpTo(topic, of === 'input' ? topics.partitions : of),
  );
  return { own: own.map((topic) => ({ topic, partition })), shared };
}

/** The parts that all tasks of a stream share. Topics are names on the broker. */
export type TaskContext = StreamTopics & {
  readonly positions: string;
  /** Number of partitions of the input, and of all topics partitioned like it. */
  readonly partitions: number;
  readonly client: StreamClient;
  /** The runtime's only clock; a simulation passes its own. */
  readonly clock: MachineClock;
  readonly createProcessor: (partition: number, partitions: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: FetchedRecord, error: PoisonError) => OutputRecord;
  /** Rejects with `RefusedError` while a topic's settings would lose records. Asked at each claim, and every 30 s. Default: they are right. */
  readonly requireTopics?: () => Promise<void>;
  /** Whether to refuse the partition or to continue when unprocessed input was removed. */
  readonly onLostInput: 'stop' | 'continue';
  readonly metrics: StreamMetrics;
  readonly log: Logger;
};
