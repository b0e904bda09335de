import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { changelogTruncated } from './start-checks.ts';

/** Where a task's changelogs end, and their last records: what its position says of them, and a later claim checks. */
export class ChangelogEnds {
  readonly #application: string;
  readonly #partition: number;
  readonly #ends: Map<string, number>;
  readonly #lasts: Map<string, number>;

  /** `lasts`: the offset of the last record of each changelog, by name, without those that end with a tombstone. */
  constructor(
    of: { readonly application: string; readonly partition: number },
    ends: ReadonlyMap<string, number>,
    lasts: ReadonlyMap<string, number>,
  ) {
    this.#application = of.application;
    this.#partition = of.partition;
    this.#ends = new Map(ends);
    this.#lasts = new Map(lasts);
  }

  /** By name. */
  get ends(): ReadonlyMap<string, number> {
    return this.#ends;
  }

  /** By name, without those that end with a tombstone. */
  get lasts(): ReadonlyMap<string, number> {
    return this.#lasts;
  }

  /** As they are once these records and the marker behind them are written, at least: others may write in between. */
  after(records: readonly OutputRecord[]): ChangelogEnds {
    const of = { application: this.#application, partition: this.#partition };
    const after = new ChangelogEnds(of, this.#ends, this.#lasts);
    for (const [topic, { count, isTombstone }] of this.#writtenTo(records)) {
      const end = (this.#ends.get(topic) ?? 0) + count;
      after.#ends.set(topic, end + 1);
      if (isTombstone) after.#lasts.delete(topic);
      else after.#lasts.set(topic, end - 1);
    }
    return after;
  }

  /** Moves them to where the broker wrote. Throws `RefusedError` CHANGELOG_TRUNCATED for a batch before an end in `known`. */
  written(batches: readonly WrittenBatch[], known: ChangelogEnds, position: number): void {
    const reached = new Map<string, number>();
    for (const { topic, partition, baseOffset, count } of batches) {
      const end = known.#ends.get(topic);
      // The broker names no offset where it had the batch already.
      if (end === undefined || partition !== this.#partition || baseOffset < 0) continue;
      if (baseOffset < end)
        throw changelogTruncated(this.#application, { topic, partition, end: baseOffset }, end, position);
      reached.set(topic, Math.max(baseOffset + count, reached.get(topic) ?? 0));
    }
    for (const [topic, end] of reached) {
      // The marker of the transaction follows.
      this.#ends.set(topic, end + 1);
      if (this.#lasts.has(topic)) this.#lasts.set(topic, end - 1);
    }
  }

  /** How many of these records go to each changelog, and whether the last one deletes. */
  #writtenTo(records: readonly OutputRecord[]): Map<string, { count: number; isTombstone: boolean }> {
    const written = new Map<string, { count: number; isTombstone: boolean }>();
    for (const { topic, partition, value } of records) {
      if (partition !== this.#partition || !this.#ends.has(topic)) continue;
      const count = (written.get(topic)?.count ?? 0) + 1;
      written.set(topic, { count, isTombstone: value === null });
    }
    return written;
  }
}
