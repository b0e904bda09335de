import type { ConsumedRecord } from '../client/port.ts';
import type { RecordCollector } from './record-collector.ts';

/**
 * What a service does with one partition of its input. One instance lives from a takeover to the loss of the
 * partition or the first failure; its state is rebuilt from the changelogs each time.
 */
export interface PartitionProcessor {
  /**
   * Records of a changelog (name on the broker), oldest first; a later one for the same key replaces it. Keys and values are
   * views of what was read: what is kept of them is copied.
   */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /**
   * Takes one input record. Throws `PoisonError`, before anything is changed, for a record that can never be
   * processed: it goes to dead-letters and the next one is taken. Throws `StreamError` UNAVAILABLE where something it
   * needs is away: the partition is taken anew until it is there. After any other error the partition is rebuilt and
   * the record tried once more, then it is poison too.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Whether so much has changed that it is to be committed before the next record is taken. Default: it is not. */
  isFull?(): boolean;
  /** The end of a batch: adds what is written once a transaction, however many records it had. */
  flush(collector: RecordCollector): void;
  /** The batch is committed. */
  committed(): void;
  /** Everything that could be read is processed and committed, as of now. Called again and again while nothing comes. */
  caughtUp?(): void;
  /** How much it holds, for the metrics. */
  size(): number;
  close(): void;
}

/** A record that cannot be processed, now or later. `code` says why, from the closed list of dead letters. */
export class PoisonError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PoisonError';
    this.code = code;
  }
}
