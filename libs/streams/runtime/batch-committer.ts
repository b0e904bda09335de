import { PoisonError } from '#errors/poison-error.ts';
import { TouchlineError } from '#errors/touchline-error.ts';
import {
  type ConsumedRecord,
  type OutputRecord,
  type ReadBatch,
  TRANSACTION_TIMEOUT_MS,
  type TransactionalProducer,
  type WrittenBatch,
} from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import { isEnvironmentFault } from './environment-fault.ts';
import { positionRecord } from './positions.ts';
import { type PartitionProcessor, RecordCollector } from './processor.ts';
import { fieldsOf, RecordWatch } from './record-watch.ts';
import { changelogTruncated } from './start-checks.ts';
import type { Suspects, TransactionRange } from './suspects.ts';
import type { TaskContext } from './task-context.ts';

/** Most results of one transaction, so that it ends within its timeout. */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;

/** It was closed while it waited: nothing failed. */
export class ClosedError extends TouchlineError<'ClosedError'> {
  override readonly name = 'ClosedError';

  constructor() {
    super('CLOSED', 'the partition was released');
  }
}

/** The parts of a claimed partition. */
export type Work = {
  readonly processor: PartitionProcessor;
  readonly producer: TransactionalProducer;
  /** The id of the input topic, and those of the changelogs by name. */
  readonly topicId: string;
  readonly changelogIds: Readonly<Record<string, string>>;
  /** Where the changelogs end, by name; this task moves them. */
  readonly changelogEnds: Map<string, number>;
  /** The offset of the last record of each, by name, without those that end with a tombstone; this task moves them. */
  readonly changelogLasts: Map<string, number>;
  /** Whether the partition was released: nothing may be committed or changed afterwards. */
  readonly isClosed: () => boolean;
};

/** A transaction in preparation. */
type Draft = {
  readonly collector: RecordCollector;
  /** Records that it sends to dead letters. */
  readonly letters: { readonly record: ConsumedRecord; readonly error: PoisonError }[];
  /** Null where nobody wants to know of single records. */
  readonly watch: RecordWatch | null;
};

/** Offset of the next input record, and the leader epoch of the input before it; null where it is unknown. */
type InputPosition = { readonly next: number; readonly inputEpoch: number | null };

/**
 * How long markers and aborted records are left behind the position, milliseconds: a commit for each would cost more than it
 * is worth, and none at all would take their removal by retention for a loss.
 */
const PASS_AFTER_MS = 10_000;

/** Turns input records of a claimed partition into committed results. Rejects with `ClosedError` after a release. */
export class BatchCommitter {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #work: Work;
  #position: InputPosition;
  #committing: Promise<void> | null = null;
  /** When the records without content after the position were first read; null where there are none. */
  #passedAt: number | null = null;

  constructor(
    partition: number,
    context: TaskContext,
    suspects: Suspects,
    work: Work,
    position: InputPosition,
  ) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
    this.#work = work;
    this.#position = position;
  }

  /** Committed offset of the next input record. */
  get position(): number {
    return this.#position.next;
  }

  /** The commit under way. */
  get committing(): Promise<void> | null {
    return this.#committing;
  }

  /** Processes records in order and commits their results, all before `next`, in as many transactions as needed. */
  async process({ records, next, epoch }: ReadBatch): Promise<void> {
    const { processor } = this.#work;
    const last = records.length - 1;
    let draft = this.#newDraft();
    let from = 0;
    for (let at = 0; at <= last; at += 1) {
      const record = records[at] as ConsumedRecord;
      const processing = this.#processOne(record, draft);
      if (processing !== undefined) await this.#still(processing);
      const first = records[from] as ConsumedRecord;
      const count = at - from + 1;
      const isFull =
        count >= this.#suspects.mostFrom(first.offset) || draft.collector.bytes > MAX_COLLECTED_BYTES;
      if (at < last && !isFull && processor.isFull?.() !== true) continue;
      const range = { first: first.offset, last: record.offset, count };
      // The last transaction also passes control records.
      const reached = { next: at === last ? next : record.offset + 1, inputEpoch: epoch };
      await this.#still(this.#commit(draft, range, reached));
      draft = this.#newDraft();
      from = at + 1;
    }
  }

  /**
   * Commits, after a while, a position behind a batch without records: markers of transactions and records of aborted ones.
   * `nowMs` is monotonic.
   */
  async pass({ next, epoch }: Pick<ReadBatch, 'next' | 'epoch'>, nowMs: number): Promise<void> {
    this.#passedAt ??= nowMs;
    if (nowMs >= this.#passedAt + PASS_AFTER_MS) await this.commitPosition({ next, inputEpoch: epoch });
  }

  /** Commits a position without records. */
  async commitPosition(reached: InputPosition): Promise<void> {
    const range = { first: this.position, last: reached.next - 1, count: 0 };
    await this.#still(this.#commit(this.#newDraft(), range, reached));
  }

  #newDraft(): Draft {
    const watch = RecordWatch.of(this.#context, this.#work.processor, this.#partition);
    return { collector: new RecordCollector(this.#partition), letters: [], watch };
  }

  #processOne(record: ConsumedRecord, draft: Draft): void | Promise<void> {
    const verdict = this.#suspects.verdictOn(record.offset);
    if (verdict !== null) {
      this.#giveUp(verdict.isBare ? withoutBytes(record) : record, verdict.error, draft);
      return;
    }
    draft.watch?.begin(record, draft.collector);
    try {
      const processing = this.#work.processor.process(record, draft.collector);
      return processing?.catch((error: unknown) => this.#processingFailed(record, error, draft));
    } catch (error) {
      this.#processingFailed(record, error, draft);
    }
  }

  /** Rethrows errors that say nothing of the record. */
  #processingFailed(record: ConsumedRecord, error: unknown, draft: Draft): void {
    // An error after the release may have its cause in the release.
    if (this.#work.isClosed()) throw new ClosedError();
    if (error instanceof PoisonError) {
      this.#giveUp(record, error, draft);
      return;
    }
    if (!isEnvironmentFault(error)) this.#suspects.processingFailed(record.offset, error);
    throw error;
  }

  /** The dead letter is written in the same transaction. */
  #giveUp(record: ConsumedRecord, error: PoisonError, { collector, letters }: Draft): void {
    const letter = this.#context.deadLetter(this.#partition, record, error);
    collector.add(letter.topic, letter.key, letter.value, letter.partition);
    letters.push({ record, error });
  }

  async #commit(
    { collector, letters, watch }: Draft,
    range: TransactionRange,
    reached: InputPosition,
  ): Promise<void> {
    const { input, positions, clock, metrics, log } = this.#context;
    const { processor, producer, topicId, changelogIds } = this.#work;
    const { next } = reached;
    const partition = this.#partition;
    const started = clock.monotonic();
    try {
      collector.traceparent = undefined;
      processor.flush(collector);
      const { ends, lasts } = this.#changelogsAfter(collector.records);
      const position = {
        ...reached,
        topicId,
        changelogIds,
        changelogEnds: Object.fromEntries(ends),
        changelogLasts: Object.fromEntries(lasts),
        producer: producer.identity,
      };
      const record = positionRecord(positions, partition, position);
      const accept = (written: readonly WrittenBatch[]): void => this.#requireWhole(written);
      this.#committing = producer.transact([...collector.records, record], accept);
      await this.#committing;
      this.#keepLasts(lasts);
      metrics.commitSeconds.observe((clock.monotonic() - started) / 1_000);
    } catch (error) {
      watch?.failed(error);
      if (clock.monotonic() - started > TRANSACTION_TIMEOUT_MS) this.#suspects.tookTooLong(range);
      if (range.count > 0 && isOfRecords(error))
        this.#suspects.commitFailed(range, error, letters[0]?.error ?? null);
      throw error;
    } finally {
      this.#committing = null;
    }
    this.#position = reached;
    this.#passedAt = null;
    this.#suspects.committed(next);
    metrics.records.inc({ partition }, range.count);
    metrics.transactions.inc({ partition });
    for (const { record, error } of letters) {
      const code = error.published;
      metrics.deadLetters.inc({ code });
      log.warn({ ...fieldsOf(input, partition, record, processor), code, err: error }, 'dead letter');
    }
    watch?.committed();
    if (this.#work.isClosed()) throw new ClosedError();
    processor.committed();
  }

  /** Where the changelogs end once these records and the marker behind them are written, at least, and their last records. */
  #changelogsAfter(records: readonly OutputRecord[]): {
    readonly ends: ReadonlyMap<string, number>;
    readonly lasts: ReadonlyMap<string, number>;
  } {
    const ends = new Map(this.#work.changelogEnds);
    const lasts = new Map(this.#work.changelogLasts);
    for (const [topic, { count, isTombstone }] of this.#writtenTo(records)) {
      const end = (ends.get(topic) ?? 0) + count;
      ends.set(topic, end + 1);
      if (isTombstone) lasts.delete(topic);
      else lasts.set(topic, end - 1);
    }
    return { ends, lasts };
  }

  /** How many of these records go to each changelog, and whether the last one deletes. */
  #writtenTo(records: readonly OutputRecord[]): Map<string, { count: number; isTombstone: boolean }> {
    const written = new Map<string, { count: number; isTombstone: boolean }>();
    for (const { topic, partition, value } of records) {
      if (partition !== this.#partition || !this.#work.changelogEnds.has(topic)) continue;
      const count = (written.get(topic)?.count ?? 0) + 1;
      written.set(topic, { count, isTombstone: value === null });
    }
    return written;
  }

  #keepLasts(lasts: ReadonlyMap<string, number>): void {
    const { changelogLasts } = this.#work;
    changelogLasts.clear();
    for (const [topic, last] of lasts) changelogLasts.set(topic, last);
  }

  /** Throws `RefusedError` CHANGELOG_TRUNCATED where a batch was written before the known end of its changelog. */
  #requireWhole(written: readonly WrittenBatch[]): void {
    const reached = new Map<string, number>();
    for (const { topic, partition, baseOffset, count } of written) {
      const known = this.#work.changelogEnds.get(topic);
      // The broker names no offset where it had the batch already.
      if (known === undefined || partition !== this.#partition || baseOffset < 0) continue;
      if (baseOffset < known) {
        const { application } = this.#context;
        throw changelogTruncated(application, { topic, partition, end: baseOffset }, known, this.position);
      }
      reached.set(topic, Math.max(baseOffset + count, reached.get(topic) ?? 0));
    }
    // The marker of the transaction follows.
    for (const [topic, end] of reached) this.#work.changelogEnds.set(topic, end + 1);
  }

  /** The awaited value, unless the partition was released meanwhile. */
  async #still<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    if (this.#work.isClosed()) throw new ClosedError();
    return result;
  }
}

/** Whether the results of these records cannot be written, whenever it is tried. */
function isOfRecords(error: unknown): boolean {
  if (error instanceof StreamError) return error.code === 'RECORD_TOO_LARGE';
  return !(error instanceof RefusedError) && !isEnvironmentFault(error);
}

function withoutBytes({ offset }: ConsumedRecord): ConsumedRecord {
  return { offset, key: null, value: null };
}
