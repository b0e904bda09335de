import type { ConsumedRecord, OutputRecord, StreamClient } from '../client/port.ts';
import type { Logger } from '../log.ts';
import type { StreamMetrics } from './metrics.ts';
import type { PartitionProcessor, PoisonError } from './processor.ts';
import type { StreamTopics } from './stream-topics.ts';

/** What every task of a stream shares. Topics are names on the broker. */
export type TaskContext = StreamTopics & {
  readonly positions: string;
  /** How many partitions the input and all that has as many have. */
  readonly partitions: number;
  readonly client: StreamClient;
  readonly createProcessor: (partition: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;
  /** What to do where input that was not processed is gone. */
  readonly onLostInput: 'stop' | 'continue';
  readonly metrics: StreamMetrics;
  readonly log: Logger;
};
