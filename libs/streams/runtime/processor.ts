import type { ConsumedRecord } from '../client/port.ts';
import type { RecordCollector } from './record-collector.ts';

/**
 * What a service does with one partition of its input. An instance lives from a claim to the release of the partition or
 * the first failure; each claim rebuilds its state from the changelogs.
 */
export interface PartitionProcessor {
  /**
   * Restores records of a changelog (name on the broker), oldest first; a later record of a key replaces an earlier one.
   * Keys and values are views of the answer: copy what is stored.
   */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /**
   * Processes one input record. Throws `PoisonError`, before any change, for a record that can never be processed: it goes
   * to dead-letters, and the next one is processed. Throws `StreamError` UNAVAILABLE where a dependency is missing: the
   * partition is claimed again until it is there. After any other error the partition is rebuilt and the record retried
   * once, then it is poison too.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Whether so much has changed that it must be committed before the next record. Default: no. */
  isFull?(): boolean;
  /** The end of a batch: adds the records that a transaction has once, however many input records it covers. */
  flush(collector: RecordCollector): void;
  /** The batch is committed. */
  committed(): void;
  /** Every readable record is processed and committed. Called repeatedly while the input is idle. */
  caughtUp?(): void;
  /** Entries of state held, for the metrics. */
  size(): number;
  close(): void;
}
