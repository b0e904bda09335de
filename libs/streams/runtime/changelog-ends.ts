import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import { changelogTruncated } from './start-checks.ts';

/** The logs of a task, by name. */
export type TaskLogs = {
  readonly application: string;
  readonly partition: number;
  /** Outputs that it alone writes to. */
  readonly outputs: readonly string[];
  /** Changelogs that others write to as well. */
  readonly mixedChangelogs: readonly string[];
};

/**
 * Where the logs of a task end, and their last records: what its position says of them, and a later claim checks
 * (docs/decisions/0150).
 */
export class ChangelogEnds {
  readonly #of: TaskLogs;
  readonly #outputs: ReadonlySet<string>;
  readonly #mixed: ReadonlySet<string>;
  readonly #ends: Map<string, number>;
  readonly #lasts: Map<string, number>;

  /** Both of changelogs and own outputs; `lasts`: the offset of the last record, without logs that end with a tombstone. */
  constructor(of: TaskLogs, ends: ReadonlyMap<string, number>, lasts: ReadonlyMap<string, number>) {
    this.#of = of;
    this.#outputs = new Set(of.outputs);
    this.#mixed = new Set(of.mixedChangelogs);
    this.#ends = new Map(ends);
    this.#lasts = new Map(lasts);
  }

  /** Of the changelogs, by name. */
  get ends(): ReadonlyMap<string, number> {
    return this.#ofChangelogs(this.#ends);
  }

  /** Of the own outputs, by name. */
  get outputEnds(): ReadonlyMap<string, number> {
    return this.#ofOutputs(this.#ends);
  }

  /** Of the changelogs, by name, without those that end with a tombstone. */
  get lasts(): ReadonlyMap<string, number> {
    return this.#ofChangelogs(this.#lasts);
  }

  /** The offset of the last record of each own output, by name, without those that end with a tombstone and those not written to so far. */
  get outputLasts(): ReadonlyMap<string, number> {
    return this.#ofOutputs(this.#lasts);
  }

  /** As they are once these records and the marker behind them are written; in mixed changelogs at least: others may write in between. */
  after(records: readonly OutputRecord[]): ChangelogEnds {
    const after = new ChangelogEnds(this.#of, this.#ends, this.#lasts);
    for (const [topic, { count, isTombstone }] of this.#writtenTo(records)) {
      const end = (this.#ends.get(topic) ?? 0) + count;
      after.#ends.set(topic, end + 1);
      if (isTombstone) after.#lasts.delete(topic);
      else after.#lasts.set(topic, end - 1);
    }
    return after;
  }

  /**
   * Moves them to where the broker wrote. Throws `RefusedError` CHANGELOG_TRUNCATED for a batch before the end of a changelog in
   * `known`; `StreamError` UNDECIDED for one behind the end of a log that the task alone writes to: the position of this
   * transaction would name another end.
   */
  written(batches: readonly WrittenBatch[], known: ChangelogEnds, position: number): void {
    const reached = new Map<string, number>();
    for (const { topic, partition, baseOffset, count } of batches) {
      const end = known.#ends.get(topic);
      // The broker names no offset where it had the batch already.
      if (end === undefined || partition !== this.#of.partition || baseOffset < 0) continue;
      const isOutput = this.#outputs.has(topic);
      if (baseOffset < end && !isOutput)
        throw changelogTruncated(this.#of.application, { topic, partition, end: baseOffset }, end, position);
      if (baseOffset > (reached.get(topic) ?? end) && !this.#mixed.has(topic))
        throw new StreamError(
          'UNDECIDED',
          `${topic}-${partition} ends at ${baseOffset}, not at ${end}: another producer has written to it`,
        );
      reached.set(topic, Math.max(baseOffset + count, reached.get(topic) ?? 0));
    }
    for (const [topic, end] of reached) {
      // The marker of the transaction follows.
      this.#ends.set(topic, end + 1);
      if (this.#lasts.has(topic)) this.#lasts.set(topic, end - 1);
    }
  }

  #ofChangelogs(offsets: ReadonlyMap<string, number>): Map<string, number> {
    return new Map([...offsets].filter(([topic]) => !this.#outputs.has(topic)));
  }

  #ofOutputs(offsets: ReadonlyMap<string, number>): Map<string, number> {
    return new Map([...offsets].filter(([topic]) => this.#outputs.has(topic)));
  }

  /** How many of these records go to each log, and whether the last one deletes. */
  #writtenTo(records: readonly OutputRecord[]): Map<string, { count: number; isTombstone: boolean }> {
    const written = new Map<string, { count: number; isTombstone: boolean }>();
    for (const { topic, partition, value } of records) {
      if (partition !== this.#of.partition || !this.#ends.has(topic)) continue;
      const count = (written.get(topic)?.count ?? 0) + 1;
      written.set(topic, { count, isTombstone: value === null });
    }
    return written;
  }
}
