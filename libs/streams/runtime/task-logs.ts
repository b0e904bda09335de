import type { OutputRecord, WrittenBatch } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import type { LogMark } from './positions.ts';
import { changelogTruncated } from './start-checks.ts';

/** `outputs`: those that only this task writes to. */
type LogsOwner = {
  readonly application: string;
  readonly partition: number;
  readonly outputs: readonly string[];
};

export type KnownMark = LogMark & { readonly end: number };

/** The log marks that a task stores with its position, for a later claim to check (docs/decisions/0113). */
export class TaskLogs {
  readonly #of: LogsOwner;
  readonly #marks: Map<string, KnownMark>;

  constructor(of: LogsOwner, marks: ReadonlyMap<string, KnownMark>) {
    this.#of = of;
    this.#marks = new Map(marks);
  }

  get marks(): Readonly<Record<string, LogMark>> {
    return Object.fromEntries(this.#marks);
  }

  after(records: readonly OutputRecord[]): TaskLogs {
    const after = new TaskLogs(this.#of, this.#marks);
    for (const { topic, partition, value } of records) {
      const mark = after.#marks.get(topic);
      if (mark === undefined || partition !== this.#of.partition) continue;
      after.#marks.set(topic, { ...mark, end: mark.end + 1, last: value === null ? null : mark.end });
    }
    // Counts the marker of the transaction.
    for (const [topic, mark] of after.#marks)
      if (mark !== this.#marks.get(topic)) after.#marks.set(topic, { ...mark, end: mark.end + 1 });
    return after;
  }

  /** Moves the marks to where the broker wrote. Throws CHANGELOG_TRUNCATED for a batch before a known end, UNDECIDED for one after. */
  written(batches: readonly WrittenBatch[], known: TaskLogs, position: number): void {
    const reached = new Map<string, number>();
    for (const { topic, partition, baseOffset, count } of batches) {
      const end = known.#marks.get(topic)?.end;
      // A broker that already had the batch returns no offset.
      if (end === undefined || partition !== this.#of.partition || baseOffset < 0) continue;
      if (baseOffset < end && !this.#of.outputs.includes(topic))
        throw changelogTruncated(this.#of.application, { topic, partition, end: baseOffset }, end, position);
      if (baseOffset > (reached.get(topic) ?? end))
        throw new StreamError(
          'UNDECIDED',
          `${topic}-${partition} ends at ${baseOffset}, not at ${end}: another producer has written to it`,
        );
      reached.set(topic, Math.max(baseOffset + count, reached.get(topic) ?? 0));
    }
    for (const [topic, end] of reached) {
      const mark = this.#marks.get(topic) as KnownMark;
      this.#marks.set(topic, { ...mark, end: end + 1, last: mark.last === null ? null : end - 1 });
    }
  }
}
