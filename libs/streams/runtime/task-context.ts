import type { PoisonError } from '#errors/touchline-error.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { ConsumedRecord, OutputRecord, StreamClient } from '../client/port.ts';
import type { Logger } from '../log.ts';
import type { StreamMetrics } from './metrics.ts';
import type { PartitionProcessor } from './processor.ts';
import type { StreamTopics } from './stream-topics.ts';

/** What all tasks of a stream share. Topics are names on the broker. */
export type TaskContext = StreamTopics & {
  readonly positions: string;
  /** Number of partitions of the input, and of all topics partitioned like it. */
  readonly partitions: number;
  readonly client: StreamClient;
  /** The only time that the runtime knows: a simulation has its own. */
  readonly clock: MachineClock;
  readonly createProcessor: (partition: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;
  /** What to do where unprocessed input is gone. */
  readonly onLostInput: 'stop' | 'continue';
  readonly metrics: StreamMetrics;
  readonly log: Logger;
};
