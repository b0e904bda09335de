import { settlesWithin } from '#timing/clock.ts';
import type { PartitionReader, TransactionalProducer } from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import { BatchCommitter } from './batch-committer.ts';
import { type Claimed, claimPartition } from './claim.ts';
import { type KeptState, type PendingCommit, prove } from './kept-state.ts';
import { ClosedError, Lifetime } from './lifetime.ts';
import type { PartitionProcessor } from './processor.ts';
import { ahead, restoreState } from './restore.ts';
import type { TaskContext } from './stream-topics.ts';
import type { Suspects } from './suspects.ts';
import { type KnownMark, TaskLogs } from './task-logs.ts';

/** How long a close waits for a pending commit. */
const LAST_COMMIT_MS = 2_000;

/** One claim of a partition, from fencing to close. Shares no mutable state with others, which may replace it during any await. */
export class Incarnation {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #lifetime = new Lifetime();
  #producer: TransactionalProducer | null = null;
  #committer: BatchCommitter | null = null;
  /** Closed at the end, unless the next claim may reuse it. */
  #processor: PartitionProcessor | null;
  /** The previous claim's state, until it is proven or dropped. */
  #kept: KeptState | null;
  #reusable: KeptState | null = null;
  #doubt: StreamError | RefusedError | null = null;

  constructor(partition: number, context: TaskContext, suspects: Suspects, kept: KeptState | null) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
    this.#kept = kept;
    this.#processor = kept?.processor ?? null;
  }

  /** The state that the next claim may reuse after a failure; null when there is none. */
  get reusable(): KeptState | null {
    return this.#reusable;
  }

  /** Committed offset of the next input record; null before the partition is processed. */
  get position(): number | null {
    return this.#committer?.position ?? null;
  }

  /** Marks of the logs at the last commit, by topic; null before the partition is processed. */
  get marks(): KeptState['logs'] | null {
    return this.#committer?.marks ?? null;
  }

  /** Ends this claim with the error after the pending read, so that the next claim checks the logs. */
  doubt(error: StreamError | RefusedError): void {
    this.#doubt = error;
  }

  /** Claims, restores and processes until it is closed; `onStep` before the last two. After a rejection only `reusable` may be used. */
  async run(onStep: (step: 'restoring' | 'running') => void): Promise<void> {
    try {
      await this.#claimAndProcess(onStep);
    } catch (error) {
      if (error instanceof ClosedError || this.#lifetime.isOver) return;
      const cause = error instanceof RefusedError ? await this.#causeOf(error) : error;
      if (this.#lifetime.isOver) return;
      if (isBrokerFault(cause)) this.#reusable = this.#kept ?? this.#committer?.kept ?? null;
      throw cause;
    } finally {
      await this.close();
    }
  }

  async #claimAndProcess(onStep: (step: 'restoring' | 'running') => void): Promise<void> {
    const claimed = await claimPartition(this.#context, this.#partition, this.#lifetime, (producer) => {
      this.#producer = producer;
    });
    onStep('restoring');
    const { kept, processor, lastOffsets } = await this.#stateFor(claimed);
    const { producer, topicId, position, found } = claimed;
    const { application } = this.#context;
    const marks = new Map<string, KnownMark>();
    for (const { topic, id, start, end } of claimed.changelogs)
      marks.set(topic, { id, start, end, last: lastOffsets.get(topic) ?? null });
    for (const { topic, end } of claimed.outputs)
      marks.set(topic, { id: null, start: null, end, last: found?.logs[topic]?.last ?? null });
    const outputs = claimed.outputs.map(({ topic }) => topic);
    const of = { application, partition: this.#partition, outputs };
    const work = {
      processor,
      producer,
      topicId,
      logs: new TaskLogs(of, marks),
      committed: found === null ? null : { producer: found.producer, next: found.next },
      lifetime: this.#lifetime,
    };
    const at = { next: position, inputEpoch: found?.inputEpoch ?? null };
    const committer = new BatchCommitter(this.#partition, this.#context, this.#suspects, work, at);
    this.#committer = committer;
    // Commits the position after the lost records, so that the next claim does not count them again.
    if (claimed.lost > 0) await committer.commitPosition(at);
    if (kept?.pending != null) await committer.resume(kept.pending, kept.isCommitted);
    onStep('running');
    const readEpoch = kept?.pending?.reached.inputEpoch ?? claimed.readEpoch;
    await this.#run(processor, committer, claimed.input, readEpoch);
  }

  /** Returns the refusal, or FENCED when a newer owner has opened its producer and may have written while this claim read. */
  async #causeOf(refusal: RefusedError): Promise<unknown> {
    try {
      await this.#producer?.requireCurrent();
      return refusal;
    } catch (error) {
      return error;
    }
  }

  /** Waits up to `LAST_COMMIT_MS` for a pending commit, then closes. The next owner repeats uncommitted records. */
  async close(): Promise<void> {
    if (this.#lifetime.isOver) return;
    this.#lifetime.end();
    const committing = this.#committer?.committing ?? null;
    if (committing !== null)
      await settlesWithin(
        committing.catch(() => {}),
        LAST_COMMIT_MS,
        this.#context.clock,
      );
    if (this.#reusable === null) this.#processor?.close();
    await this.#lifetime.closeAll();
  }

  /** Returns the previous claim's state when nobody else has written since, else restores it from the changelogs. */
  async #stateFor(claimed: Claimed): Promise<{
    readonly kept: { readonly pending: PendingCommit | null; readonly isCommitted: boolean } | null;
    readonly processor: PartitionProcessor;
    readonly lastOffsets: ReadonlyMap<string, number>;
  }> {
    const { client, metrics, log } = this.#context;
    const { found, lost } = claimed;
    const partition = this.#partition;
    const kept = this.#kept;
    if (kept !== null && found !== null && lost === 0) {
      const proof = await this.#lifetime.guard(prove(client, kept, { ...claimed, position: found }));
      this.#kept = null;
      if (proof !== null) {
        metrics.keptStates.inc({ partition });
        const { processor, pending } = kept;
        log.info({ partition, entries: processor.size(), position: claimed.position }, 'state kept');
        const { isCommitted, changelogLasts } = proof;
        return { kept: { pending, isCommitted }, processor, lastOffsets: changelogLasts };
      }
    }
    this.#kept = null;
    this.#processor?.close();
    this.#processor = null;
    const processor = this.#context.createProcessor(partition, this.#context.partitions);
    this.#processor = processor;
    return {
      kept: null,
      processor,
      lastOffsets: await restoreState(this.#context, partition, processor, claimed, this.#lifetime),
    };
  }

  async #run(
    processor: PartitionProcessor,
    committer: BatchCommitter,
    input: PartitionReader,
    readEpoch: number | null,
  ): Promise<never> {
    const { clock, metrics } = this.#context;
    const label = { partition: this.#partition };
    const watch = new StableWatch();
    // The first read compares the epoch: the log may lose its end between the claim and this read.
    for (let reading = ahead(input.read(committer.position, readEpoch)); ; ) {
      const batch = await this.#lifetime.guard(reading);
      if (this.#doubt !== null) throw this.#doubt;
      // While records wait, fetches the next batch during this one's commit. Otherwise fetches when the next transaction can begin:
      // what arrives meanwhile is one batch then, and costs one fetch and one transaction.
      const isBehind = batch.records.length === 0 || batch.next < batch.end;
      if (isBehind) reading = ahead(input.read(batch.next));
      if (batch.records.length > 0) await committer.process(batch);
      else {
        if (batch.next > committer.position) await committer.pass(batch, clock.monotonic());
        await committer.requireDecided();
      }
      if (this.#lifetime.isOver) throw new ClosedError();
      if (batch.next >= batch.end) processor.caughtUp?.();
      metrics.lag.set(label, Math.max(0, batch.end - batch.next));
      metrics.undecided.set(label, batch.written - batch.end);
      const now = clock.monotonic();
      if (watch.becameStuck(batch.end, batch.written, now)) this.#reportStuck(batch.end);
      metrics.undecidedSeconds.set(label, watch.stuckMs(now) / 1_000);
      metrics.stateSize.set(label, processor.size());
      if (isBehind) continue;
      await this.#lifetime.guard(committer.untilCompleted());
      reading = ahead(input.read(batch.next));
    }
  }

  /** Logs how an operator ends the open transaction at `offset`. The reader does not know its producer. */
  #reportStuck(offset: number): void {
    const { input, log } = this.#context;
    const partition = this.#partition;
    log.error(
      { partition, offset, code: 'TRANSACTION_OPEN' },
      `${input}-${partition} cannot be read beyond offset ${offset}: a transaction has been open there for a minute; find its ` +
        `producer with kafka-transactions.sh --bootstrap-server <broker> describe-producers --topic ${input} --partition ${partition}, ` +
        `and if the producer is gone, end the transaction with abort --topic ${input} --partition ${partition} --start-offset ${offset}`,
    );
  }
}

/** Whether the broker or the network alone may have caused the error. */
function isBrokerFault(error: unknown): boolean {
  return error instanceof StreamError && ['UNAVAILABLE', 'UNDECIDED', 'FENCED'].includes(error.code);
}

/** How long records may wait behind an open transaction: longer than the transaction timeout of most producers. */
const STUCK_MS = 60_000;

/** Detects a partition whose committed records wait behind an open transaction. */
export class StableWatch {
  #end = -1;
  #movedAt = 0;
  #isReported = false;

  /** Returns how long the last stable offset has not moved although records follow it, milliseconds; 0 when none follow. */
  stuckMs(nowMs: number): number {
    return nowMs - this.#movedAt;
  }

  /** Returns true once when `end` has not moved for a minute although `written` is beyond it, again only after it moved. `nowMs`: monotonic. */
  becameStuck(end: number, written: number, nowMs: number): boolean {
    if (end !== this.#end || written <= end) {
      this.#end = end;
      this.#movedAt = nowMs;
      this.#isReported = false;
      return false;
    }
    if (this.#isReported || nowMs < this.#movedAt + STUCK_MS) return false;
    this.#isReported = true;
    return true;
  }
}
