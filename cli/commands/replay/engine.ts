import { Registry } from 'prom-client';
import { MatchPartition } from '#processors/match/match-partition.ts';
import { StandingsPartition } from '#processors/standings/standings-partition.ts';
import type { DeadLetter } from '#records/types.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import {
  type ConsumedRecord,
  type FetchedRecord,
  type OutputRecord,
  type PublishRecord,
  partitionKey,
  type TopicPartition,
} from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { silentLogger } from '#streams/log.ts';
import { BatchCommitter, type CommitterWork } from '#streams/runtime/batch-committer.ts';
import { Lifetime } from '#streams/runtime/lifetime.ts';
import { streamMetrics } from '#streams/runtime/metrics.ts';
import type { PartitionProcessor } from '#streams/runtime/processor.ts';
import { Suspects } from '#streams/runtime/suspects.ts';
import { TaskLogs } from '#streams/runtime/task-logs.ts';
import { sleep } from '#timing/clock.ts';
import type { Codec } from '#topics/codec.ts';
import { deadLetterOf } from '#topics/dead-letters.ts';
import { PROCESSORS, type ProcessorName } from '#topics/processors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';

/** A record for normalized-messages; `timestamp` is that of its source, Unix milliseconds. */
export type ReplayInput = {
  readonly partition: number;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly timestamp: number;
};

export type ReplayOutput = PublishRecord & { readonly partition: number };

export const REPLAY_TOPICS = [
  'normalized-messages',
  'match-incidents',
  'match-state',
  'match-transitions',
  'match-results',
  'standings-results',
  'standings',
  'dead-letters',
] as const satisfies readonly TopicName[];

export type ReplayCodecs = CodecsOf<(typeof REPLAY_TOPICS)[number]>;

export type ReplayEngineOptions = {
  /** Prefix of the topics to write. */
  readonly prefix: string;
  readonly codecs: ReplayCodecs;
  readonly rulesOf: RulesOf;
  /** Number of partitions of topics of a match. Default: each record is in the partition of its match. */
  readonly partitions?: number;
  /** Reads records that earlier calls of `process` returned. Called only after a failure. */
  readonly readBack: ReadBack;
};

type ReplayedProcessor = 'match-processor' | 'standings-processor';

/** The match processor's default. The output does not depend on it. */
const MAX_LOADED = 256;

/**
 * Runs the match processor and the standings processor of all partitions, batch after batch. The same batches in the same order
 * give the same records, including the offsets in their causes. Knows no clock and no broker.
 */
export class ReplayEngine {
  readonly #options: ReplayEngineOptions;
  /** Maximum bytes of a record batch, by topic. */
  readonly #limits: ReadonlyMap<string, number>;
  /** By processor and partition. */
  readonly #tasks = new Map<string, ReplayTask>();
  /** The next offset of each partition. */
  readonly #ends = new Map<string, number>();
  /** Number of records by topic, named as on the broker. */
  readonly counts = new Map<string, number>();

  constructor(options: ReplayEngineOptions) {
    this.#options = options;
    this.#limits = new Map(REPLAY_TOPICS.map((topic) => [this.#named(topic), TOPICS[topic].maxMessageBytes]));
  }

  /** Returns the records of a batch and its output, in the order to publish them. Rejects as `ReplayTask.process`. */
  async process(batch: readonly ReplayInput[]): Promise<ReplayOutput[]> {
    const [normalized, results] = [this.#named('normalized-messages'), this.#named('match-results')];
    const inputs = batch.map((input) => ({ topic: normalized, ...input }));
    const timestamp = batch.at(-1)?.timestamp ?? 0;
    const states = await this.#run('match-processor', inputs);
    const found = states.filter(({ topic }) => topic === results).map((record) => ({ ...record, timestamp }));
    const tables = await this.#run('standings-processor', found);
    const derived = [...states, ...tables];
    for (const record of derived) if (record.topic !== results) this.#nextOffset(record);
    const output: ReplayOutput[] = inputs.map(({ timestamp: _, ...record }) => record);
    return output.concat(derived);
  }

  close(): void {
    for (const task of this.#tasks.values()) task.close();
  }

  async #run(
    processor: ReplayedProcessor,
    inputs: readonly (ReplayInput & { readonly topic: string })[],
  ): Promise<ReplayOutput[]> {
    const all = inputs.map((input) => ({
      ...input,
      offset: this.#nextOffset(input),
      key: typeof input.key === 'string' ? Buffer.from(input.key) : input.key,
    }));
    const byPartition = [...Map.groupBy(all, ({ partition }) => partition)].sort(([a], [b]) => a - b);
    const output: ReplayOutput[][] = [];
    for (const [partition, records] of byPartition)
      output.push(await this.#task(processor, partition).process(records));
    return output.flat();
  }

  #nextOffset(of: TopicPartition): number {
    const key = partitionKey(of);
    const offset = this.#ends.get(key) ?? 0;
    this.#ends.set(key, offset + 1);
    this.counts.set(of.topic, (this.counts.get(of.topic) ?? 0) + 1);
    return offset;
  }

  readonly #named = (topic: TopicName): string => topicName(this.#options.prefix, topic);

  #task(service: ReplayedProcessor, partition: number): ReplayTask {
    const key = `${service}/${partition}`;
    const known = this.#tasks.get(key);
    if (known !== undefined) return known;
    const { codecs, rulesOf, readBack, partitions } = this.#options;
    const { input, changelogs } = PROCESSORS[service];
    const own = { partition, codecs, topicName: this.#named };
    const task = new ReplayTask({
      partition,
      create: () =>
        service === 'match-processor'
          ? new MatchPartition({ ...own, partitions, maxLoaded: MAX_LOADED })
          : new StandingsPartition({ ...own, rulesOf }),
      readBack,
      limits: this.#limits,
      changelogs: changelogs.map(this.#named),
      letters: { service, input, topic: this.#named('dead-letters'), codec: codecs['dead-letters'] },
    });
    this.#tasks.set(key, task);
    return task;
  }
}

/** Reads the published records of a partition of a topic (name on the broker), oldest first. */
type ReadBack = (topic: string, partition: number) => AsyncIterable<readonly ConsumedRecord[]>;

export type ReplayTaskOptions = {
  readonly partition: number;
  readonly create: () => PartitionProcessor;
  readonly changelogs: readonly string[];
  readonly readBack: ReadBack;
  /** Maximum bytes of a record batch of each topic, by name on the broker. */
  readonly limits: ReadonlyMap<string, number>;
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
  readonly #context: CommitterWork['context'];
  readonly #suspects = new Suspects();
  #processor: PartitionProcessor;
  #committer: BatchCommitter;
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
      const pending = own.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value }));
      await this.#processor.restore(topic, pending);
    }
    this.#committer = this.#committerAt(this.#committer.position);
  }

  #committerAt(next: number): BatchCommitter {
    const { partition } = this.#options;
    const logs = { application: '', partition, outputs: [] };
    const work = {
      partition,
      context: this.#context,
      suspects: this.#suspects,
      processor: this.#processor,
      producer: {
        identity: { id: '', epoch: 0 },
        transact: async (records: readonly OutputRecord[]) => this.#add(records),
      },
      topicId: '',
      logs: new TaskLogs(logs, new Map()),
      committed: null,
      lifetime: new Lifetime(),
      // No transaction can exceed its timeout.
      maxBytes: Number.POSITIVE_INFINITY,
    };
    return new BatchCommitter(work, { next, inputEpoch: null });
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
