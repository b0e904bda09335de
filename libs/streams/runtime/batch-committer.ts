import { causesOf, PoisonError } from '#errors/touchline-error.ts';
import {
  type FetchedRecord,
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
import { RecordWatch } from './record-watch.ts';
import type { TaskContext } from './stream-topics.ts';
import type { Suspects, TransactionRange } from './suspects.ts';
import type { TaskLogs } from './task-logs.ts';

/** Maximum bytes of one transaction's results, so that it ends within its timeout. */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;

export type CommitterWork = {
  readonly partition: number;
  readonly context: Pick<TaskContext, 'input' | 'positions' | 'deadLetter' | 'metrics' | 'log'> & {
    readonly clock: Pick<TaskContext['clock'], 'monotonic' | 'sleep'>;
  };
  readonly suspects: Suspects;
  readonly processor: PartitionProcessor;
  readonly producer: Pick<TransactionalProducer, 'identity' | 'transact'>;
  readonly topicId: string;
  /** Marks of the changelogs and own outputs at the claim. */
  readonly logs: TaskLogs;
  readonly committed: KeptState['committed'] | null;
  /** Ends at the release of the partition. After it nothing may be committed or changed. */
  readonly lifetime: Lifetime;
  readonly maxBytes?: number;
};

/** Delay before the position moves past markers and aborted records, milliseconds: a commit each would cost too much, none looks like loss. */
const PASS_AFTER_MS = 10_000;

/** Milliseconds of processing after which a batch lets other work of the process run, such as heartbeats. */
const SLICE_MS = 10;

/** Turns input records of a claimed partition into committed results. Methods reject with `ClosedError` after a release. */
export class BatchCommitter {
  readonly #work: CommitterWork;
  #position: InputPosition;
  #logs: TaskLogs;
  #committed: KeptState['committed'] | null;
  /** The last transaction sent, until it is known to be committed; null without one. */
  #pending: PendingCommit | null = null;
  /** Whether the processor has changes that no transaction contains. */
  #isAhead = false;
  /** The pending commit; null when there is none. */
  committing: Promise<void> | null = null;
  /** When markers or aborted records after the position were first read; null when there are none. */
  #passedAt: number | null = null;

  constructor(work: CommitterWork, position: InputPosition) {
    this.#work = work;
    this.#position = position;
    this.#logs = work.logs;
    this.#committed = work.committed;
  }

  /** The state that the next claim may reuse after a failure; null when it cannot be reused. */
  get kept(): KeptState | null {
    const { processor, topicId, suspects } = this.#work;
    const pending = this.#pending;
    if (processor.isKept !== true || this.#isAhead || this.#committed === null) return null;
    // A batch that is retried in halves must be processed again.
    if (pending !== null && pending.range.count > suspects.maxRecordsFrom(pending.range.first)) return null;
    return { processor, topicId, pending, logs: this.#logs.marks, committed: this.#committed };
  }

  get marks(): KeptState['logs'] {
    return this.#logs.marks;
  }

  /** Committed offset of the next input record. */
  get position(): number {
    return this.#position.next;
  }

  /** Processes the records of a batch in order and commits their results, in as many transactions as needed. */
  async process({ records, next, epoch }: Pick<ReadBatch, 'records' | 'next' | 'epoch'>): Promise<void> {
    const { processor, lifetime, suspects, context, maxBytes = MAX_COLLECTED_BYTES } = this.#work;
    const { clock } = context;
    if (processor.prepare !== undefined) await lifetime.guard(processor.prepare(records));
    const last = records.length - 1;
    let sliceEnd = clock.monotonic() + SLICE_MS;
    let draft = this.#newDraft();
    let from = 0;
    for (let at = 0; at <= last; at += 1) {
      const record = records[at] as FetchedRecord;
      const processing = this.#processOne(record, draft);
      if (processing !== undefined) await lifetime.guard(processing);
      const first = records[from] as FetchedRecord;
      const count = at - from + 1;
      const isFull = count >= suspects.maxRecordsFrom(first.offset) || draft.collector.bytes > maxBytes;
      if (at < last && !isFull && processor.isFull?.() !== true) {
        if (clock.monotonic() >= sliceEnd) {
          await lifetime.guard(clock.sleep(0, lifetime.signal));
          sliceEnd = clock.monotonic() + SLICE_MS;
        }
        continue;
      }
      const range = { first: first.offset, last: record.offset, count };
      // The last transaction also moves the position past control records.
      const reached = { next: at === last ? next : record.offset + 1, inputEpoch: epoch };
      await lifetime.guard(this.#commit(draft, range, reached));
      draft = this.#newDraft();
      from = at + 1;
      sliceEnd = clock.monotonic() + SLICE_MS;
    }
  }

  /** Commits the position after a batch without records once `PASS_AFTER_MS` have passed. `nowMs` is monotonic. */
  async pass({ next, epoch }: Pick<ReadBatch, 'next' | 'epoch'>, nowMs: number): Promise<void> {
    this.#passedAt ??= nowMs;
    if (nowMs >= this.#passedAt + PASS_AFTER_MS) await this.commitPosition({ next, inputEpoch: epoch });
  }

  /** Commits a position without processing records. */
  async commitPosition(reached: InputPosition): Promise<void> {
    const range = { first: this.position, last: reached.next - 1, count: 0 };
    await this.#work.lifetime.guard(this.#commit(this.#newDraft(), range, reached));
  }

  /** Commits the pending transaction of the previous claim, unless it is committed. The kept state includes its records. */
  async resume({ draft, range, reached }: PendingCommit, isCommitted: boolean): Promise<void> {
    if (isCommitted) this.#accepted(draft, range, reached);
    else await this.#work.lifetime.guard(this.#send(draft, range, reached));
  }

  #newDraft(): TransactionDraft {
    const { context, processor, partition } = this.#work;
    const watch = new RecordWatch(context, processor, partition);
    return { collector: new RecordCollector(partition), letters: [], watch };
  }

  #processOne(record: FetchedRecord, draft: TransactionDraft): void | Promise<void> {
    this.#isAhead = true;
    const verdict = this.#work.suspects.rejectionOf(record.offset);
    if (verdict !== null) {
      this.#sendToDeadLetters(verdict.isBare ? withoutBytes(record) : record, verdict.error, draft);
      return;
    }
    draft.watch.begin(record, draft.collector);
    try {
      const processing = this.#work.processor.process(record, draft.collector);
      return processing?.catch((error: unknown) => this.#processingFailed(record, error, draft));
    } catch (error) {
      this.#processingFailed(record, error, draft);
    }
  }

  /** Turns a `PoisonError` into a dead letter; rethrows any other error, and counts it against the record unless the environment failed. */
  #processingFailed(record: FetchedRecord, error: unknown, draft: TransactionDraft): void {
    // The release itself may have caused an error after it.
    if (this.#work.lifetime.isOver) throw new ClosedError();
    if (error instanceof PoisonError) {
      this.#sendToDeadLetters(record, error, draft);
      return;
    }
    if (!isEnvironmentFault(error)) this.#work.suspects.processingFailed(record.offset, error);
    throw error;
  }

  #sendToDeadLetters(record: FetchedRecord, error: PoisonError, draft: TransactionDraft): void {
    const { collector, letters } = draft;
    const letter = this.#work.context.deadLetter(this.#work.partition, record, error);
    collector.add(letter.topic, letter.key, letter.value, letter.partition);
    letters.push({ record, error });
  }

  async #commit(draft: TransactionDraft, range: TransactionRange, reached: InputPosition): Promise<void> {
    const { collector } = draft;
    try {
      collector.traceparent = undefined;
      this.#work.processor.flush?.(collector);
    } catch (error) {
      this.#failed(draft, range, error);
      throw error;
    }
    await this.#send(draft, range, reached);
  }

  async #send(draft: TransactionDraft, range: TransactionRange, reached: InputPosition): Promise<void> {
    const { partition, context, producer, topicId, suspects } = this.#work;
    const { positions, clock, metrics } = context;
    const { records } = draft.collector;
    const started = clock.monotonic();
    const before = this.#logs;
    const after = before.after(records);
    const position = { ...reached, topicId, logs: after.marks, producer: producer.identity };
    const record = positionRecord(positions, partition, position);
    const accept = (written: readonly WrittenBatch[]): void =>
      after.written(written, before, this.#position.next);
    this.#pending = { draft, range, reached, producer: producer.identity };
    this.#isAhead = false;
    try {
      this.committing = producer.transact([...records, record], accept);
      await this.committing;
    } catch (error) {
      if (clock.monotonic() - started > TRANSACTION_TIMEOUT_MS) suspects.tookTooLong(range);
      this.#failed(draft, range, error);
      throw error;
    } finally {
      this.committing = null;
    }
    metrics.commitSeconds.observe((clock.monotonic() - started) / 1_000);
    this.#logs = after;
    this.#committed = { producer: producer.identity, next: reached.next };
    this.#accepted(draft, range, reached);
  }

  #failed({ letters, watch }: TransactionDraft, range: TransactionRange, error: unknown): void {
    watch.failed(error);
    if (range.count > 0 && isRecordFault(error))
      this.#work.suspects.commitFailed(range, error, letters[0]?.error ?? null);
  }

  /** Moves the position and reports the results of a committed transaction. */
  #accepted({ letters, watch }: TransactionDraft, range: TransactionRange, reached: InputPosition): void {
    const { partition, processor, suspects } = this.#work;
    const { metrics, log } = this.#work.context;
    this.#pending = null;
    this.#position = reached;
    this.#passedAt = null;
    suspects.committed(reached.next);
    metrics.records.inc({ partition }, range.count);
    metrics.transactions.inc({ partition });
    for (const { record, error } of letters) {
      const code = error.published;
      metrics.deadLetters.inc({ code });
      log.warn({ ...watch.fields(record), code, err: error }, 'dead letter');
    }
    watch.committed();
    if (this.#work.lifetime.isOver) throw new ClosedError();
    processor.committed?.();
  }
}

/** Whether a commit failed because of its records, so that every retry fails too. */
function isRecordFault(error: unknown): boolean {
  if (error instanceof StreamError) return error.code === 'RECORD_TOO_LARGE';
  return !(error instanceof RefusedError) && !isEnvironmentFault(error);
}

function withoutBytes({ offset, timestamp }: FetchedRecord): FetchedRecord {
  return { offset, timestamp, key: null, value: null };
}

/** Codes of Node errors that come from the environment but not from a system call. */
const NODE_CODES = /^(ERR_SQLITE|ERR_MEMORY_ALLOCATION_FAILED|ERR_WORKER_)/;

/** Whether broker, disk, memory or runtime caused a failure, and not the record; by the error's causes too. */
export function isEnvironmentFault(error: unknown): boolean {
  return causesOf(error).some(
    (at) => at instanceof StreamError || typeof at.errno === 'number' || NODE_CODES.test(String(at.code)),
  );
}
