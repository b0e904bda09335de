import { type PublishRecord, partitionKey, type TopicPartition } from '#streams/client/port.ts';
import { PROCESSORS } from '#topics/processors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { MatchPartition } from '../../../services/match-processor/match-partition.ts';
import type { RulesOf } from '../../../services/standings-processor/rules.ts';
import { StandingsPartition } from '../../../services/standings-processor/standings-partition.ts';
import { type ReadBack, ReplayTask } from './task.ts';

/** A record for normalized-messages; `timestamp` is that of the log it was read from, Unix milliseconds. */
export type ReplayInput = {
  readonly partition: number;
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly timestamp: number;
};

/** A record to publish to the partition that it names. */
export type ReplayOutput = PublishRecord & { readonly partition: number };

/** The topics that an engine reads or writes. */
export const REPLAY_TOPICS = [
  'normalized-messages',
  'match-incidents',
  'match-state',
  'match-transitions',
  'match-results',
  'standings-results',
  'standings-catalogue',
  'standings',
  'dead-letters',
] as const satisfies readonly TopicName[];

export type ReplayCodecs = CodecsOf<(typeof REPLAY_TOPICS)[number]>;

export type EngineOptions = {
  /** Prefix of all that is written. */
  readonly prefix: string;
  readonly codecs: ReplayCodecs;
  readonly rulesOf: RulesOf;
  /** Called only after a failure, for what earlier calls of `process` gave. */
  readonly readBack: ReadBack;
};

type ReplayedProcessor = 'match-processor' | 'standings-processor';

/** As the match processor's defaults are; what is published does not depend on them. */
const KEEP_LOADED_MS = 900_000;
const MAX_LOADED = 256;

/**
 * The match processor and the standings processor of all partitions in one process, one batch after the other: the same
 * batches in the same order give the same records, offsets in their causes included. Knows no clock and no broker.
 */
export class ReplayEngine {
  readonly #options: EngineOptions;
  /** By processor and partition. */
  readonly #tasks = new Map<string, ReplayTask>();
  /** Records given so far of each partition: its next offset. */
  readonly #ends = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** What a batch leads to, in the order to publish it, its own records first. Rejects with `StreamError`. */
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
    const given = await this.#run('match-processor', inputs);
    const found = given.filter(({ topic }) => topic === results).map((record) => ({ ...record, timestamp }));
    const tables = await this.#run('standings-processor', found);
    for (const record of [...given, ...tables]) {
      if (record.topic !== results) this.#offsetOf(record);
      output.push(record);
    }
    return output;
  }

  /** How many records were given of each topic, by its name on the broker. */
  counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  close(): void {
    for (const task of this.#tasks.values()) task.close();
  }

  /** Gives each task its records, partition by partition. */
  async #run(
    processor: ReplayedProcessor,
    inputs: readonly (ReplayInput & { readonly topic: string })[],
  ): Promise<ReplayOutput[]> {
    const all = inputs.map((input) => ({
      ...input,
      offset: this.#offsetOf(input),
      key: typeof input.key === 'string' ? Buffer.from(input.key) : input.key,
    }));
    const byPartition = Map.groupBy(all, ({ partition }) => partition);
    const output: ReplayOutput[] = [];
    for (const [partition, records] of [...byPartition].sort(([a], [b]) => a - b)) {
      for (const record of await this.#task(processor, partition).process(records)) output.push(record);
    }
    return output;
  }

  /** The offset that the next record of a partition gets. */
  #offsetOf(of: TopicPartition): number {
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
    const { codecs, rulesOf, readBack } = this.#options;
    const { input, changelogs } = PROCESSORS[service];
    const own = { partition, codecs, topicName: this.#named };
    const task = new ReplayTask({
      partition,
      create: () =>
        service === 'match-processor'
          ? new MatchPartition({ ...own, keepLoadedMs: KEEP_LOADED_MS, maxLoaded: MAX_LOADED })
          : new StandingsPartition({ ...own, rulesOf }),
      readBack,
      changelogs: changelogs.map(this.#named),
      letters: { service, input, topic: this.#named('dead-letters'), codec: codecs['dead-letters'] },
    });
    this.#tasks.set(key, task);
    return task;
  }
}
