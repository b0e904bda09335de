import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import type { LogMark } from './positions.ts';
import { changelogTruncated } from './start-checks.ts';

/** Whose logs they are, and which of them, by name. */
type LogsOf = {
  readonly application: string;
  readonly partition: number;
  /** Outputs that it alone writes to. */
  readonly outputs: readonly string[];
  /** Changelogs that others write to as well. */
  readonly mixedChangelogs: readonly string[];
};

/** A log whose end is known. */
export type KnownMark = LogMark & { readonly end: number };

/** The logs of a task as its position knows them, for a later claim to check (docs/decisions/0113). */
export class TaskLogs {
  readonly #of: LogsOf;
  readonly #marks: Map<string, KnownMark>;

  constructor(of: LogsOf, marks: ReadonlyMap<string, KnownMark>) {
    this.#of = of;
    this.#marks = new Map(marks);
  }

  /** By name. */
  get marks(): Readonly<Record<string, LogMark>> {
    return Object.fromEntries(this.#marks);
  }

  /** As they are once these records and the marker behind them are written; in mixed changelogs at least: others may write in between. */
  after(records: readonly OutputRecord[]): TaskLogs {
    const after = new TaskLogs(this.#of, this.#marks);
    for (const { topic, partition, value } of records) {
      const mark = after.#marks.get(topic);
      if (mark === undefined || partition !== this.#of.partition) continue;
      after.#marks.set(topic, { ...mark, end: mark.end + 1, last: value === null ? null : mark.end });
    }
    for (const [topic, mark] of after.#marks) {
      // The marker of the transaction follows.
      if (mark.end > (this.#marks.get(topic)?.end ?? 0))
        after.#marks.set(topic, { ...mark, end: mark.end + 1 });
    }
    return after;
  }

  /**
   * Moves them to where the broker wrote. Throws `RefusedError` CHANGELOG_TRUNCATED for a batch before the end of a changelog in
   * `known`; `StreamError` UNDECIDED for one behind the end of a log that the task alone writes to: the position of this
   * transaction would name another end.
   */
  written(batches: readonly WrittenBatch[], known: TaskLogs, position: number): void {
    const reached = new Map<string, number>();
    for (const { topic, partition, baseOffset, count } of batches) {
      const end = known.#marks.get(topic)?.end;
      // The broker names no offset where it had the batch already.
      if (end === undefined || partition !== this.#of.partition || baseOffset < 0) continue;
      if (baseOffset < end && !this.#of.outputs.includes(topic))
        throw changelogTruncated(this.#of.application, { topic, partition, end: baseOffset }, end, position);
      if (baseOffset > (reached.get(topic) ?? end) && !this.#of.mixedChangelogs.includes(topic))
        throw new StreamError(
          'UNDECIDED',
          `${topic}-${partition} ends at ${baseOffset}, not at ${end}: another producer has written to it`,
        );
      reached.set(topic, Math.max(baseOffset + count, reached.get(topic) ?? 0));
    }
    for (const [topic, end] of reached) {
      const mark = this.#marks.get(topic);
      if (mark === undefined) continue;
      this.#marks.set(topic, { ...mark, end: end + 1, last: mark.last === null ? null : end - 1 });
    }
  }
}
