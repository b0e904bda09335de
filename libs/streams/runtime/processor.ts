import type { MessageFields } from '#tracing/message-fields.ts';
import type { ConsumedRecord, OutputRecord } from '../client/port.ts';

/** Collects the output records of a task's next commit. */
export class RecordCollector {
  readonly #partition: number;
  readonly records: OutputRecord[] = [];
  /** Bytes of the values added so far. */
  bytes = 0;
  /** The trace of the records added next: that of the current input record; during a flush, set by `flush`. */
  traceparent: string | undefined;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** Adds a record. `topic`: name on the broker. `partition`: default is the task's own. */
  add(topic: string, key: Buffer | string, value: Buffer | null, partition: number = this.#partition): void {
    const { traceparent } = this;
    const record = { topic, partition, key, value };
    this.records.push(traceparent === undefined ? record : { ...record, traceparent });
    this.bytes += value?.length ?? 0;
  }
}

/** A service's code for one partition, from a claim to its release or first failure. Its state is rebuilt from the changelogs. */
export interface PartitionProcessor {
  /** Restores records of a changelog (name on the broker), oldest first; the last of a key counts. Copy keys and values to keep them. */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /** Fetches what a batch of input records needs, before the first is processed. Rejects as `process`. Default: does nothing. */
  prepare?(records: readonly ConsumedRecord[]): Promise<void>;
  /**
   * Processes a record. `PoisonError`: it becomes a dead letter, with what was added before. `StreamError` UNAVAILABLE: the
   * partition is claimed again until a dependency returns. After another error it is retried once, then a dead letter.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Returns fields that identify the message of an input record, for log lines and spans only. Default: none. */
  identify?(record: ConsumedRecord): MessageFields;
  /** Whether the changes must be committed before the next record, as there are many. Default: false. */
  isFull?(): boolean;
  /** Adds what a transaction contains once, however many input records it has. Called before each commit. */
  flush?(collector: RecordCollector): void;
  /** Called after a commit, without a record between it and its `flush`. */
  committed?(): void;
  /** Called when all readable records are processed and committed; repeatedly while the input is idle. */
  caughtUp?(): void;
  /** Whether the state may outlive a failure of the broker: only these methods change it, and nothing acts on it. Default: false. */
  readonly isKept?: boolean;
  size(): number;
  close(): void;
}
