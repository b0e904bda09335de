import type { MessageFields } from '#tracing/message-fields.ts';
import type { ConsumedRecord, OutputRecord } from '../client/port.ts';

/** Collects the output records of a task's next commit. */
export class RecordCollector {
  readonly #partition: number;
  readonly #records: OutputRecord[] = [];
  #bytes = 0;
  /** The trace of the records added next: that of the current input record; during a flush, set by `flush`. */
  traceparent: string | undefined;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** Adds a record. `topic`: name on the broker. `partition`: default is the task's own. */
  add(topic: string, key: Buffer | string, value: Buffer | null, partition: number = this.#partition): void {
    const { traceparent } = this;
    this.#records.push(
      traceparent === undefined
        ? { topic, partition, key, value }
        : { topic, partition, key, value, traceparent },
    );
    this.#bytes += value?.length ?? 0;
  }

  /** All records added so far, in order. */
  get records(): readonly OutputRecord[] {
    return this.#records;
  }

  /** Bytes of the values added so far. */
  get bytes(): number {
    return this.#bytes;
  }
}

/**
 * A service's code for one partition of its input. An instance lives from a claim until the partition is released or the first
 * failure; with `isKept` it outlives failures of the broker. Its state is rebuilt from the changelogs.
 */
export interface PartitionProcessor {
  /**
   * Restores records of a changelog, oldest first; a later record of a key replaces an earlier one. `topic`: name on the broker.
   * Keys and values are views of a larger buffer: copy them to keep them.
   */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /** Fetches what a batch of input records needs, before the first is processed. Rejects as `process`. Default: does nothing. */
  prepare?(records: readonly ConsumedRecord[]): Promise<void>;
  /**
   * Processes one input record. Throws `PoisonError` for a record that can never be processed: it becomes a dead letter, committed
   * with what was added before the throw, and processing continues with the next record. Throws `StreamError` UNAVAILABLE while a dependency is unavailable: the
   * partition is claimed again until it returns. After any other error the partition is rebuilt and the record retried once; after
   * a second error it becomes a dead letter.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Returns fields that identify the message of an input record, for log lines and spans only. Default: none. */
  identify?(record: ConsumedRecord): MessageFields;
  /** Whether the changes must be committed before the next record, as there are many. Default: false. */
  isFull?(): boolean;
  /**
   * Adds the records that a transaction contains once, whatever its number of input records. Called before each commit. Default:
   * adds none.
   */
  flush?(collector: RecordCollector): void;
  /** Called after each commit. */
  committed?(): void;
  /** Called when all readable records are processed and committed; repeatedly while the input is idle. */
  caughtUp?(): void;
  /**
   * Whether the state may outlive a failure of the broker or network. Requires that only `restore`, `process` and `flush` change the
   * state, and that nothing outside acts on it. Default: false; the state is restored.
   */
  readonly isKept?: boolean;
  /** Returns the number of state entries, for the metrics. */
  size(): number;
  close(): void;
}
