import { PoisonError } from '#errors/touchline-error.ts';
import {
  type ConsumedRecord,
  type ProducerIdentity,
  type ReadBatch,
  TRANSACTION_TIMEOUT_MS,
  type TransactionalProducer,
  type WrittenBatch,
} from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import type { InputPosition, KeptState, PendingCommit, TransactionDraft } from './kept-state.ts';
import { ClosedError, type Lifetime } from './lifetime.ts';
import { positionRecord } from './positions.ts';
import { type PartitionProcessor, RecordCollector } from './processor.ts';
import { fieldsOf, RecordWatch } from './record-watch.ts';
import type { Suspects, TransactionRange } from './suspects.ts';
import type { TaskContext } from './task-context.ts';
import type { TaskLogs } from './task-logs.ts';

/** Most results of one transaction, so that it ends within its timeout. */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;

/** The parts of a claimed partition. */
export type Work = {
  readonly processor: PartitionProcessor;
  readonly producer: TransactionalProducer;
  /** The id of the input topic. */
  readonly topicId: string;
  /** The changelogs and own outputs as the claim found them. */
  readonly logs: TaskLogs;
  /** The last commit that the claim found; null without one. */
  readonly committed: { readonly producer: ProducerIdentity; readonly next: number } | null;
  /** After its end, the release of the partition, nothing may be committed or changed. */
  readonly lifetime: Lifetime;
};

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
  #logs: TaskLogs;
  #committed: Work['committed'];
  /** The transaction under way, also after it failed. */
  #pending: PendingCommit | null = null;
  /** The processor has changes that no transaction had. */
  #isAhead = false;
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
    this.#logs = work.logs;
    this.#committed = work.committed;
  }

  /** What is left to keep of the state in memory after a failure; null where it cannot be kept. */
  get kept(): KeptState | null {
    const { processor, topicId } = this.#work;
    const pending = this.#pending;
    if (processor.isKept !== true || this.#isAhead || this.#committed === null) return null;
    // It is tried again in halves.
    if (pending !== null && pending.range.count > this.#suspects.mostFrom(pending.range.first)) return null;
    return { processor, topicId, pending, logs: this.#logs.marks, committed: this.#committed };
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
    if (processor.prepare !== undefined) await this.#work.lifetime.still(processor.prepare(records));
    const last = records.length - 1;
    let draft = this.#newDraft();
    let from = 0;
    for (let at = 0; at <= last; at += 1) {
      const record = records[at] as ConsumedRecord;
      const processing = this.#processOne(record, draft);
      if (processing !== undefined) await this.#work.lifetime.still(processing);
      const first = records[from] as ConsumedRecord;
      const count = at - from + 1;
      const isFull =
        count >= this.#suspects.mostFrom(first.offset) || draft.collector.bytes > MAX_COLLECTED_BYTES;
      if (at < last && !isFull && processor.isFull?.() !== true) continue;
      const range = { first: first.offset, last: record.offset, count };
      // The last transaction also passes control records.
      const reached = { next: at === last ? next : record.offset + 1, inputEpoch: epoch };
      await this.#work.lifetime.still(this.#commit(draft, range, reached));
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

  /** Whether the last transaction is decided in every log. Rejects with UNDECIDED where a broker has left it open. */
  async requireDecided(): Promise<void> {
    await this.#work.lifetime.still(this.#work.producer.requireDecided());
  }

  /** Commits a position without records. */
  async commitPosition(reached: InputPosition): Promise<void> {
    const range = { first: this.position, last: reached.next - 1, count: 0 };
    await this.#work.lifetime.still(this.#commit(this.#newDraft(), range, reached));
  }

  /** Ends the transaction of an earlier claim whose records the processor has: commits it, unless it was. */
  async resume({ draft, range, reached }: PendingCommit, isCommitted: boolean): Promise<void> {
    const records = { ...draft, watch: null };
    if (isCommitted) this.#accepted(records, range, reached);
    else await this.#work.lifetime.still(this.#send(records, range, reached));
  }

  #newDraft(): TransactionDraft {
    const watch = RecordWatch.of(this.#context, this.#work.processor, this.#partition);
    return { collector: new RecordCollector(this.#partition), letters: [], watch };
  }

  #processOne(record: ConsumedRecord, draft: TransactionDraft): void | Promise<void> {
    this.#isAhead = true;
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
  #processingFailed(record: ConsumedRecord, error: unknown, draft: TransactionDraft): void {
    // An error after the release may have its cause in the release.
    if (this.#work.lifetime.isOver) throw new ClosedError();
    if (error instanceof PoisonError) {
      this.#giveUp(record, error, draft);
      return;
    }
    if (!isEnvironmentFault(error)) this.#suspects.processingFailed(record.offset, error);
    throw error;
  }

  /** The dead letter is written in the same transaction. */
  #giveUp(record: ConsumedRecord, error: PoisonError, { collector, letters }: TransactionDraft): void {
    const letter = this.#context.deadLetter(this.#partition, record, error);
    collector.add(letter.topic, letter.key, letter.value, letter.partition);
    letters.push({ record, error });
  }

  async #commit(draft: TransactionDraft, range: TransactionRange, reached: InputPosition): Promise<void> {
    const { collector } = draft;
    try {
      collector.traceparent = undefined;
      this.#work.processor.flush(collector);
    } catch (error) {
      this.#failed(draft, range, error);
      throw error;
    }
    await this.#send(draft, range, reached);
  }

  async #send(draft: TransactionDraft, range: TransactionRange, reached: InputPosition): Promise<void> {
    const { positions, clock, metrics } = this.#context;
    const { producer, topicId } = this.#work;
    const { records } = draft.collector;
    const started = clock.monotonic();
    const before = this.#logs;
    const after = before.after(records);
    const position = { ...reached, topicId, logs: after.marks, producer: producer.identity };
    const record = positionRecord(positions, this.#partition, position);
    const accept = (written: readonly WrittenBatch[]): void =>
      after.written(written, before, this.#position.next);
    this.#pending = { draft, range, reached, producer: producer.identity };
    this.#isAhead = false;
    try {
      this.#committing = producer.transact([...records, record], accept);
      await this.#committing;
    } catch (error) {
      if (clock.monotonic() - started > TRANSACTION_TIMEOUT_MS) this.#suspects.tookTooLong(range);
      this.#failed(draft, range, error);
      throw error;
    } finally {
      this.#committing = null;
    }
    metrics.commitSeconds.observe((clock.monotonic() - started) / 1_000);
    this.#logs = after;
    this.#committed = { producer: producer.identity, next: reached.next };
    this.#accepted(draft, range, reached);
  }

  #failed({ letters, watch }: TransactionDraft, range: TransactionRange, error: unknown): void {
    watch?.failed(error);
    if (range.count > 0 && isOfRecords(error))
      this.#suspects.commitFailed(range, error, letters[0]?.error ?? null);
  }

  /** The transaction is committed. */
  #accepted({ letters, watch }: TransactionDraft, range: TransactionRange, reached: InputPosition): void {
    const { input, metrics, log } = this.#context;
    const { processor } = this.#work;
    const partition = this.#partition;
    this.#pending = null;
    this.#position = reached;
    this.#passedAt = null;
    this.#suspects.committed(reached.next);
    metrics.records.inc({ partition }, range.count);
    metrics.transactions.inc({ partition });
    for (const { record, error } of letters) {
      const code = error.published;
      metrics.deadLetters.inc({ code });
      log.warn({ ...fieldsOf(input, partition, record, processor), code, err: error }, 'dead letter');
    }
    watch?.committed();
    if (this.#work.lifetime.isOver) throw new ClosedError();
    processor.committed();
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

/** Codes of Node that are not of a system call. */
const NODE_CODES = /^(ERR_SQLITE|ERR_MEMORY_ALLOCATION_FAILED|ERR_WORKER_)/;

/**
 * Whether a failure has its cause in the broker, the disk, the memory or the runtime: it says nothing of the record that was
 * processed, however often it happens. Looks at the causes too.
 */
export function isEnvironmentFault(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof StreamError) return true;
    const { code, errno } = at as { code?: unknown; errno?: unknown };
    if (typeof errno === 'number' || (typeof code === 'string' && NODE_CODES.test(code))) return true;
  }
  return false;
}
