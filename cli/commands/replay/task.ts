import { PoisonError } from '#errors/touchline-error.ts';
import type { DeadLetter } from '#records/types.ts';
import type { ConsumedRecord, OutputRecord } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { type PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import type { Codec } from '#topics/codec.ts';
import { deadLetterOf } from '#topics/dead-letters.ts';
import type { ProcessorName } from '#topics/processors.ts';
import type { TopicName } from '#topics/topics.ts';

/** A record of a task's input; `timestamp` is the log's, Unix milliseconds. */
export type TaskRecord = ConsumedRecord & { readonly timestamp: number };

/** Reads the published records of a partition of a topic (name on the broker), oldest first. */
export type ReadBack = (topic: string, partition: number) => AsyncIterable<readonly ConsumedRecord[]>;

/** A partition of a processor, and what it needs. */
export type ReplayTaskOptions = {
  readonly partition: number;
  readonly create: () => PartitionProcessor;
  /** The changelogs of the processor, by names on the broker. */
  readonly changelogs: readonly string[];
  readonly readBack: ReadBack;
  /** The task's dead letters. */
  readonly letters: {
    readonly service: ProcessorName;
    readonly input: TopicName;
    readonly topic: string;
    readonly codec: Codec<DeadLetter>;
  };
};

/**
 * Runs one partition of a processor without the task runtime. The output of a batch depends on its records alone, so that the
 * same batches give the same bytes (docs/decisions/0084).
 */
export class ReplayTask {
  readonly #options: ReplayTaskOptions;
  #processor: PartitionProcessor;

  constructor(options: ReplayTaskOptions) {
    this.#options = options;
    this.#processor = options.create();
  }

  /**
   * Returns the output of a batch. As with the task runtime, a record that cannot be processed, or whose results cannot be
   * written, becomes a dead letter and changes nothing. Rejects with `StreamError` when a broker or a topic is unavailable.
   */
  async process(records: readonly TaskRecord[]): Promise<OutputRecord[]> {
    try {
      return await this.#attempt(records);
    } catch (error) {
      if (error instanceof StreamError) throw error;
      return this.#oneByOne(records);
    }
  }

  close(): void {
    this.#processor.close();
  }

  async #attempt(records: readonly TaskRecord[]): Promise<OutputRecord[]> {
    const processor = this.#processor;
    const output: OutputRecord[] = [];
    let collector = new RecordCollector(this.#options.partition);
    const commit = (): void => {
      processor.flush?.(collector);
      for (const record of collector.records) output.push(record);
      processor.committed?.();
      collector = new RecordCollector(this.#options.partition);
    };
    await processor.prepare?.(records);
    for (const record of records) {
      try {
        const processing = processor.process(record, collector);
        if (processing !== undefined) await processing;
      } catch (error) {
        if (!(error instanceof PoisonError)) throw error;
        output.push(this.#deadLetter(record, error));
      }
      if (processor.isFull?.() === true) commit();
    }
    commit();
    return output;
  }

  /** Processes a failed batch record by record: only records that fail alone become dead letters. */
  async #oneByOne(records: readonly TaskRecord[]): Promise<OutputRecord[]> {
    const output: OutputRecord[] = [];
    await this.#restore(output);
    for (const record of records) {
      try {
        output.push(...(await this.#attempt([record])));
      } catch (error) {
        if (error instanceof StreamError) throw error;
        const poison =
          error instanceof PoisonError
            ? error
            : new PoisonError('PROCESSING_FAILED', `cannot be processed: ${String(error)}`, error);
        output.push(this.#deadLetter(record, poison));
        await this.#restore(output);
      }
    }
    return output;
  }

  /** Replaces the processor, whose state is unknown after an error, and restores it from published and pending records. */
  async #restore(unpublished: readonly OutputRecord[]): Promise<void> {
    const { partition, create, changelogs, readBack } = this.#options;
    this.#processor.close();
    this.#processor = create();
    for (const topic of changelogs) {
      for await (const records of readBack(topic, partition)) await this.#processor.restore(topic, records);
      const own = unpublished.filter((record) => record.topic === topic);
      await this.#processor.restore(
        topic,
        own.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value })),
      );
    }
  }

  /** Returns a dead letter with the time of its record: a clock would make two replays differ. */
  #deadLetter(record: TaskRecord, error: PoisonError): OutputRecord {
    const { letters, partition } = this.#options;
    return deadLetterOf(letters, partition, record, error, record.timestamp);
  }
}
