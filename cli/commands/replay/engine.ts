import { MatchPartition } from '#processors/match/match-partition.ts';
import { StandingsPartition } from '#processors/standings/standings-partition.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import { type PublishRecord, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { PROCESSORS } from '#topics/processors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { type ReadBack, ReplayTask } from './task.ts';

/** A record for normalized-messages; `timestamp` is that of its source, Unix milliseconds. */
export type ReplayInput = {
  readonly partition: number;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly timestamp: number;
};

/** A record to publish, with its partition. */
export type ReplayOutput = PublishRecord & { readonly partition: number };

/** The topics that the engine reads or writes. */
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
  /** Tasks by processor and partition. */
  readonly #tasks = new Map<string, ReplayTask>();
  /** The next offset of each partition. */
  readonly #ends = new Map<string, number>();
  /** Number of records by topic. */
  readonly #counts = new Map<string, number>();

  constructor(options: ReplayEngineOptions) {
    this.#options = options;
    this.#limits = new Map(REPLAY_TOPICS.map((topic) => [this.#named(topic), TOPICS[topic].maxMessageBytes]));
  }

  /** Returns the records of a batch and its output, in the order to publish them. Rejects as `ReplayTask.process`. */
  async process(batch: readonly ReplayInput[]): Promise<ReplayOutput[]> {
    const [normalized, results] = [this.#named('normalized-messages'), this.#named('match-results')];
    const inputs = batch.map((input) => ({ topic: normalized, ...input }));
    const output: ReplayOutput[] = inputs.map(({ topic, partition, key, value }) => ({
      topic,
      partition,
      key,
      value,
    }));
    const timestamp = batch.at(-1)?.timestamp ?? 0;
    const states = await this.#run('match-processor', inputs);
    const found = states.filter(({ topic }) => topic === results).map((record) => ({ ...record, timestamp }));
    const tables = await this.#run('standings-processor', found);
    for (const record of [...states, ...tables]) {
      if (record.topic !== results) this.#nextOffset(record);
      output.push(record);
    }
    return output;
  }

  /** Returns the number of records by topic, named as on the broker. */
  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  close(): void {
    for (const task of this.#tasks.values()) task.close();
  }

  /** Passes the records to the tasks, partition by partition. Returns their output. */
  async #run(
    processor: ReplayedProcessor,
    inputs: readonly (ReplayInput & { readonly topic: string })[],
  ): Promise<ReplayOutput[]> {
    const all = inputs.map((input) => ({
      ...input,
      offset: this.#nextOffset(input),
      key: typeof input.key === 'string' ? Buffer.from(input.key) : input.key,
    }));
    const byPartition = Map.groupBy(all, ({ partition }) => partition);
    const output: ReplayOutput[] = [];
    for (const [partition, records] of [...byPartition].sort(([a], [b]) => a - b)) {
      for (const record of await this.#task(processor, partition).process(records)) output.push(record);
    }
    return output;
  }

  /** Assigns the next offset of a partition to a record. */
  #nextOffset(of: TopicPartition): number {
    const key = partitionKey(of);
    const offset = this.#ends.get(key) ?? 0;
    this.#ends.set(key, offset + 1);
    this.#counts.set(of.topic, (this.#counts.get(of.topic) ?? 0) + 1);
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
