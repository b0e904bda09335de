import type { ConsumedRecord, ReadBatch, TransactionalProducer } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import { positionRecord } from './positions.ts';
import { type PartitionProcessor, PoisonError } from './processor.ts';
import { RecordCollector } from './record-collector.ts';
import type { Suspects, TransactionRange } from './suspects.ts';
import type { TaskContext } from './task-context.ts';

/** Results that are written at once, so that a transaction ends in its time. */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;

/** It was closed while it waited for something: nothing failed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
}

/** What a claimed partition is processed with. */
export type Work = {
  readonly processor: PartitionProcessor;
  readonly producer: TransactionalProducer;
  /** The id of the input topic, and those of the changelogs by name. */
  readonly topicId: string;
  readonly changelogIds: Readonly<Record<string, string>>;
  /** Whether the partition was released: nothing may be committed or changed after that. */
  readonly isClosed: () => boolean;
};

/** A transaction that is being put together. */
type Draft = {
  readonly collector: RecordCollector;
  /** Records that are given up in it. */
  readonly letters: { readonly offset: number; readonly error: PoisonError }[];
};

/** Turns input records of a claimed partition into committed results. Rejects with `ClosedError` once it was released. */
export class BatchCommitter {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #work: Work;
  #position: number;
  #committing: Promise<void> | null = null;

  constructor(partition: number, context: TaskContext, suspects: Suspects, work: Work, position: number) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
    this.#work = work;
    this.#position = position;
  }

  /** Offset of the next input record, as far as it is committed. */
  get position(): number {
    return this.#position;
  }

  /** The commit that is under way. */
  get committing(): Promise<void> | null {
    return this.#committing;
  }

  /** Processes records in order and commits their results, all before `next`, in as many transactions as that takes. */
  async process({ records, next }: ReadBatch): Promise<void> {
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
      // After the last record, control records are behind it as well.
      await this.#still(this.#commit(draft, range, at === last ? next : record.offset + 1));
      draft = this.#newDraft();
      from = at + 1;
    }
  }

  #newDraft(): Draft {
    return { collector: new RecordCollector(this.#partition), letters: [] };
  }

  #processOne(record: ConsumedRecord, draft: Draft): void | Promise<void> {
    const verdict = this.#suspects.verdictOn(record.offset);
    if (verdict !== null) {
      this.#giveUp(verdict.isBare ? withoutBytes(record) : record, verdict.error, draft);
      return;
    }
    try {
      const processing = this.#work.processor.process(record, draft.collector);
      return processing?.catch((error: unknown) => this.#processingFailed(record, error, draft));
    } catch (error) {
      this.#processingFailed(record, error, draft);
    }
  }

  /** Throws again what is no verdict on the record. */
  #processingFailed(record: ConsumedRecord, error: unknown, draft: Draft): void {
    // What went wrong after its end may lie in that.
    if (this.#work.isClosed()) throw new ClosedError();
    if (error instanceof PoisonError) {
      this.#giveUp(record, error, draft);
      return;
    }
    // Something it needs is away: that says nothing of the record, however often it happens.
    if (!(error instanceof StreamError)) this.#suspects.processingFailed(record.offset, error);
    throw error;
  }

  /** The letter is written with the transaction. */
  #giveUp(record: ConsumedRecord, error: PoisonError, { collector, letters }: Draft): void {
    const letter = this.#context.deadLetter(this.#partition, record, error);
    collector.add(letter.topic, letter.key, letter.value, letter.partition);
    letters.push({ offset: record.offset, error });
  }

  async #commit({ collector, letters }: Draft, range: TransactionRange, next: number): Promise<void> {
    const { positions, metrics, log } = this.#context;
    const { processor, producer, topicId, changelogIds } = this.#work;
    const partition = this.#partition;
    const position = { next, topicId, changelogIds, producer: producer.identity };
    try {
      processor.flush(collector);
      const record = positionRecord(positions, partition, position);
      const started = performance.now();
      this.#committing = producer.transact([...collector.records, record]);
      await this.#committing;
      metrics.commitSeconds.observe((performance.now() - started) / 1_000);
    } catch (error) {
      const isOfRecords = !(error instanceof StreamError) || error.code === 'RECORD_TOO_LARGE';
      if (isOfRecords) this.#suspects.commitFailed(range, error, letters[0]?.error ?? null);
      throw error;
    } finally {
      this.#committing = null;
    }
    this.#position = next;
    this.#suspects.committed(next);
    metrics.records.inc({ partition }, range.count);
    metrics.transactions.inc({ partition });
    for (const { offset, error } of letters) {
      metrics.deadLetters.inc({ code: error.code });
      log.warn({ partition, offset, code: error.code, err: error }, 'dead letter');
    }
    if (this.#work.isClosed()) throw new ClosedError();
    processor.committed();
  }

  /** What was waited for, unless the partition was released meanwhile. */
  async #still<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    if (this.#work.isClosed()) throw new ClosedError();
    return result;
  }
}

function withoutBytes({ offset }: ConsumedRecord): ConsumedRecord {
  return { offset, key: null, value: null };
}
