import { Registry } from 'prom-client';
import type { DeadLetter } from '#records/types.ts';
import type { ConsumedRecord, FetchedRecord, OutputRecord } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { silentLogger } from '#streams/log.ts';
import { BatchCommitter } from '#streams/runtime/batch-committer.ts';
import { Lifetime } from '#streams/runtime/lifetime.ts';
import { streamMetrics } from '#streams/runtime/metrics.ts';
import type { PartitionProcessor } from '#streams/runtime/processor.ts';
import type { CommitContext } from '#streams/runtime/stream-topics.ts';
import { Suspects } from '#streams/runtime/suspects.ts';
import { TaskLogs } from '#streams/runtime/task-logs.ts';
import { sleep } from '#timing/clock.ts';
import type { Codec } from '#topics/codec.ts';
import { deadLetterOf } from '#topics/dead-letters.ts';
import type { ProcessorName } from '#topics/processors.ts';
import type { TopicName } from '#topics/topics.ts';

/** Reads the published records of a partition of a topic (name on the broker), oldest first. */
export type ReadBack = (topic: string, partition: number) => AsyncIterable<readonly ConsumedRecord[]>;

/** A partition of a processor, and what it needs. */
export type ReplayTaskOptions = {
  readonly partition: number;
  readonly create: () => PartitionProcessor;
  /** The changelogs of the processor, by names on the broker. */
  readonly changelogs: readonly string[];
  readonly readBack: ReadBack;
  /** Maximum bytes of a record batch of each topic, by name on the broker. */
  readonly limits: ReadonlyMap<string, number>;
  /** The task's dead letters. */
  readonly letters: {
    readonly service: ProcessorName;
    readonly input: TopicName;
    readonly topic: string;
    readonly codec: Codec<DeadLetter>;
  };
};

/** Marks the position in a transaction; a replay sets positions at its end. */
const POSITIONS = 'positions';
/** Upper bound of the bytes of a record batch with one record, without its key and value. */
const BATCH_OVERHEAD = 100;

/**
 * Runs one partition of a processor with the runtime's transactions, retries and dead letters, over a producer in memory and a clock
 * that stands still. The output of a batch depends on its records alone, so that the same batches give the same bytes
 * (docs/decisions/0084).
 */
export class ReplayTask {
  readonly #options: ReplayTaskOptions;
  readonly #context: CommitContext;
  readonly #suspects = new Suspects();
  #processor: PartitionProcessor;
  #committer: BatchCommitter;
  /** The records of the current batch's transactions. */
  #output: OutputRecord[] = [];

  constructor(options: ReplayTaskOptions) {
    const { letters, create } = options;
    this.#options = options;
    this.#context = {
      input: letters.input,
      positions: POSITIONS,
      // A dead letter has the time of its record: a clock would make two replays differ.
      deadLetter: (partition, record, error) =>
        deadLetterOf(letters, partition, record, error, record.timestamp),
      metrics: streamMetrics(new Registry(), () => []),
      log: silentLogger,
      clock: { monotonic: () => 0, sleep },
    };
    this.#processor = create();
    this.#committer = this.#committerAt(0);
  }

  /**
   * Returns the output of a batch. Rejects with an error that no record caused, as when a broker is unavailable or the disk is full:
   * the runtime would try again until it passes.
   */
  async process(records: readonly FetchedRecord[]): Promise<OutputRecord[]> {
    this.#output = [];
    const next = (records.at(-1)?.offset ?? -1) + 1;
    for (let left = records; left.length > 0; ) {
      try {
        await this.#committer.process({ records: left, next, epoch: null });
      } catch (error) {
        if (!this.#suspects.takeProgress()) throw error;
        await this.#restore();
      }
      left = left.filter(({ offset }) => offset >= this.#committer.position);
    }
    return this.#output;
  }

  close(): void {
    this.#processor.close();
  }

  /** Replaces the processor, whose state is unknown after an error, and restores it from published and pending records. */
  async #restore(): Promise<void> {
    const { partition, create, changelogs, readBack } = this.#options;
    this.#processor.close();
    this.#processor = create();
    for (const topic of changelogs) {
      for await (const records of readBack(topic, partition)) await this.#processor.restore(topic, records);
      const own = this.#output.filter((record) => record.topic === topic);
      await this.#processor.restore(
        topic,
        own.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value })),
      );
    }
    this.#committer = this.#committerAt(this.#committer.position);
  }

  #committerAt(next: number): BatchCommitter {
    const { partition } = this.#options;
    const logs = { application: '', partition, outputs: [] };
    return new BatchCommitter(
      partition,
      this.#context,
      this.#suspects,
      {
        processor: this.#processor,
        producer: {
          identity: { id: '', epoch: 0 },
          transact: async (records) => this.#add(records),
          requireDecided: async () => {},
          untilCompleted: async () => {},
        },
        topicId: '',
        logs: new TaskLogs(logs, new Map()),
        committed: null,
        lifetime: new Lifetime(),
        // No transaction can exceed its timeout.
        maxBytes: Number.POSITIVE_INFINITY,
      },
      { next, inputEpoch: null },
    );
  }

  /** Adds the records of a transaction to the output, or none: throws `StreamError` RECORD_TOO_LARGE where a broker refuses one. */
  #add(records: readonly OutputRecord[]): void {
    const written = records.filter(({ topic }) => topic !== POSITIONS);
    for (const { topic, key, value } of written) {
      const bytes = BATCH_OVERHEAD + Buffer.byteLength(key) + (value?.length ?? 0);
      if (bytes > (this.#options.limits.get(topic) as number))
        throw new StreamError('RECORD_TOO_LARGE', `${topic} refuses a record of ${bytes} bytes`);
    }
    for (const record of written) this.#output.push(record);
  }
}
