import type { MessageFields } from '#tracing/message-fields.ts';
import type { ConsumedRecord, OutputRecord } from '../client/port.ts';

/** The records of a task's next commit, in its own partition by default. */
export class RecordCollector {
  readonly #partition: number;
  readonly #records: OutputRecord[] = [];
  #bytes = 0;
  /** The trace that the next records belong to: that of the input record in process; of a flush, what `flush` sets. */
  traceparent: string | undefined;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** Adds a record; `topic` is the name on the broker. */
  add(topic: string, key: Buffer | string, value: Buffer | null, partition: number = this.#partition): void {
    const { traceparent } = this;
    this.#records.push(
      traceparent === undefined
        ? { topic, partition, key, value }
        : { topic, partition, key, value, traceparent },
    );
    this.#bytes += value?.length ?? 0;
  }

  /** Everything added so far, in order. */
  get records(): readonly OutputRecord[] {
    return this.#records;
  }

  /** Bytes of the values added so far. */
  get bytes(): number {
    return this.#bytes;
  }
}

/**
 * What a service does with one partition of its input. An instance lives from a claim to the release of the partition or
 * the first failure, with `isKept` to the first that says nothing of the broker; its state is rebuilt from the changelogs.
 */
export interface PartitionProcessor {
  /**
   * Restores records of a changelog (name on the broker), oldest first; a later record of a key replaces an earlier one.
   * Keys and values are views of the answer: copy what is stored.
   */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /** Fetches what a batch of input records needs, before any of them is processed. Rejects as `process`. Default: nothing. */
  prepare?(records: readonly ConsumedRecord[]): Promise<void>;
  /**
   * Processes one input record. Throws `PoisonError`, before any change, for a record that can never be processed: it goes
   * to dead-letters, and the next one is processed. Throws `StreamError` UNAVAILABLE where a dependency is missing: the
   * partition is claimed again until it is there. After any other error the partition is rebuilt and the record retried
   * once, then it is poison too.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Names the message of an input record. Called for log lines and spans only. Default: nothing is known. */
  identify?(record: ConsumedRecord): MessageFields;
  /** Whether so much has changed that it must be committed before the next record. Default: no. */
  isFull?(): boolean;
  /** The end of a batch: adds the records that a transaction has once, however many input records it covers. */
  flush(collector: RecordCollector): void;
  /** The batch is committed. */
  committed(): void;
  /** Every readable record is processed and committed. Called repeatedly while the input is idle. */
  caughtUp?(): void;
  /**
   * Whether the state may outlive a failure of broker or network, until the partition is claimed again here: only `restore`,
   * `process` and `flush` change it, and nothing outside acts on it. Default: it is restored.
   */
  readonly isKept?: boolean;
  /** Entries of state held, for the metrics. */
  size(): number;
  close(): void;
}
