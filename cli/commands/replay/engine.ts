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
export function replayEngine(options: ReplayEngineOptions) {
  const { prefix, codecs, rulesOf, readBack, partitions } = options;
  const named = (topic: TopicName): string => topicName(prefix, topic);
  const [normalized, results] = [named('normalized-messages'), named('match-results')];
  /** Maximum bytes of a record batch, by topic. */
  const limits = new Map(REPLAY_TOPICS.map((topic) => [named(topic), TOPICS[topic].maxMessageBytes]));
  /** By processor and partition. */
  const tasks = new Map<string, ReturnType<typeof replayTask>>();
  /** The next offset of each partition. */
  const ends = new Map<string, number>();
  const counts = new Map<string, number>();

  const nextOffset = (of: TopicPartition): number => {
    const key = partitionKey(of);
    const offset = ends.get(key) ?? 0;
    ends.set(key, offset + 1);
    counts.set(of.topic, (counts.get(of.topic) ?? 0) + 1);
    return offset;
  };
  const taskOf = (service: ReplayedProcessor, partition: number) => {
    const key = `${service}/${partition}`;
    const known = tasks.get(key);
    if (known !== undefined) return known;
    const { input, changelogs } = PROCESSORS[service];
    const own = { partition, codecs, topicName: named };
    const task = replayTask({
      partition,
      create: () =>
        service === 'match-processor'
          ? new MatchPartition({ ...own, partitions, maxLoaded: MAX_LOADED })
          : new StandingsPartition({ ...own, rulesOf }),
      readBack,
      limits,
      changelogs: changelogs.map(named),
      letters: { service, input, topic: named('dead-letters'), codec: codecs['dead-letters'] },
    });
    tasks.set(key, task);
    return task;
  };
  const run = async (
    processor: ReplayedProcessor,
    inputs: readonly (ReplayInput & { readonly topic: string })[],
  ): Promise<ReplayOutput[]> => {
    const all = inputs.map((input) => ({
      ...input,
      offset: nextOffset(input),
      key: typeof input.key === 'string' ? Buffer.from(input.key) : input.key,
    }));
    const byPartition = [...Map.groupBy(all, ({ partition }) => partition)].sort(([a], [b]) => a - b);
    const output: ReplayOutput[][] = [];
    for (const [partition, records] of byPartition)
      output.push(await taskOf(processor, partition).process(records));
    return output.flat();
  };
  return {
    /** Number of records by topic, named as on the broker. */
    counts,
    /** Returns the records of a batch and its output, in the order to publish them. Rejects as `process` of `replayTask`. */
    async process(batch: readonly ReplayInput[]): Promise<ReplayOutput[]> {
      const inputs = batch.map((input) => ({ topic: normalized, ...input }));
      const timestamp = batch.at(-1)?.timestamp ?? 0;
      const states = await run('match-processor', inputs);
      const found = states.filter(({ topic }) => topic === results);
      const tables = await run(
        'standings-processor',
        found.map((record) => ({ ...record, timestamp })),
      );
      const derived = [...states, ...tables];
      for (const record of derived) if (record.topic !== results) nextOffset(record);
      const output: ReplayOutput[] = inputs.map(({ timestamp: _, ...record }) => record);
      return output.concat(derived);
    },
    close(): void {
      for (const task of tasks.values()) task.close();
    },
  };
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
export function replayTask(options: ReplayTaskOptions) {
  const { partition, create, changelogs, readBack, limits, letters } = options;
  const context: CommitterWork['context'] = {
    input: letters.input,
    positions: POSITIONS,
    // A dead letter has the time of its record: a clock would make two replays differ.
    deadLetter: (of, record, error) => deadLetterOf(letters, of, record, error, record.timestamp),
    metrics: streamMetrics(new Registry(), () => []),
    log: silentLogger,
    clock: { monotonic: () => 0, sleep },
  };
  const suspects = new Suspects();
  let output: OutputRecord[] = [];

  /** Adds the records of a transaction to the output, or none: throws `StreamError` RECORD_TOO_LARGE where a broker refuses one. */
  const transact = async (records: readonly OutputRecord[]): Promise<void> => {
    const written = records.filter(({ topic }) => topic !== POSITIONS);
    for (const { topic, key, value } of written) {
      const bytes = BATCH_OVERHEAD + Buffer.byteLength(key) + (value?.length ?? 0);
      if (bytes > (limits.get(topic) as number))
        throw new StreamError('RECORD_TOO_LARGE', `${topic} refuses a record of ${bytes} bytes`);
    }
    for (const record of written) output.push(record);
  };
  const committerAt = (next: number, processor: PartitionProcessor): BatchCommitter => {
    const work = {
      partition,
      context,
      suspects,
      processor,
      producer: { identity: { id: '', epoch: 0 }, transact },
      topicId: '',
      logs: new TaskLogs({ application: '', partition, outputs: [] }, new Map()),
      committed: null,
      lifetime: new Lifetime(),
      // No transaction can exceed its timeout.
      maxBytes: Number.POSITIVE_INFINITY,
    };
    return new BatchCommitter(work, { next, inputEpoch: null });
  };
  let processor = create();
  let committer = committerAt(0, processor);

  /** Replaces the processor, whose state is unknown after an error, and restores it from published and pending records. */
  const restore = async (): Promise<void> => {
    processor.close();
    processor = create();
    for (const topic of changelogs) {
      for await (const records of readBack(topic, partition)) await processor.restore(topic, records);
      const own = output.filter((record) => record.topic === topic);
      const pending = own.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value }));
      await processor.restore(topic, pending);
    }
    committer = committerAt(committer.position, processor);
  };
  return {
    /**
     * Returns the output of a batch. Rejects with an error that no record caused, as when a broker is unavailable or the disk is full:
     * the runtime would try again until it passes.
     */
    async process(records: readonly FetchedRecord[]): Promise<OutputRecord[]> {
      output = [];
      const next = (records.at(-1)?.offset ?? -1) + 1;
      for (let left = records; left.length > 0; ) {
        try {
          await committer.process({ records: left, next, epoch: null });
        } catch (error) {
          if (!suspects.takeProgress()) throw error;
          await restore();
        }
        left = left.filter(({ offset }) => offset >= committer.position);
      }
      return output;
    },
    close: (): void => processor.close(),
  };
}
