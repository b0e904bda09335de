import { settlesWithin } from '#timing/clock.ts';
import type { PartitionReader, TransactionalProducer } from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import { BatchCommitter } from './batch-committer.ts';
import { type KeptState, type PendingCommit, prove } from './kept-state.ts';
import { ClosedError, Lifetime } from './lifetime.ts';
import { findPosition } from './positions.ts';
import type { PartitionProcessor } from './processor.ts';
import { ahead, type Claimed, restoreState } from './restore.ts';
import { checkLogs, startOffset } from './start-checks.ts';
import { type TaskContext, transactionalIdOf, writesOf } from './stream-topics.ts';
import type { Suspects } from './suspects.ts';
import { type KnownMark, TaskLogs } from './task-logs.ts';

/** Maximum bytes of an input read. A larger batch of a backlog needs fewer transactions and fewer match-state records. */
const FETCH_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of all partitions together. Each holds two batches: the current and the next one. */
const ALL_FETCH_BYTES = 32 * 1024 * 1024;
const RESTORE_BYTES = 1024 * 1024;
/** How long a close waits for a pending commit. */
const LAST_COMMIT_MS = 2_000;
/** How long records may wait behind an open transaction: longer than the transaction timeout of most producers. */
const STUCK_MS = 60_000;

/** One claim of a partition, from fencing to close. Shares no mutable state with others, which may replace it during any await. */
export class Incarnation {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #lifetime = new Lifetime();
  #producer: TransactionalProducer | null = null;
  /** Null before the partition is processed. */
  committer: BatchCommitter | null = null;
  /** Closed at the end, unless the next claim may reuse it. */
  #processor: PartitionProcessor | null;
  /** The previous claim's state, until it is proven or dropped. */
  #kept: KeptState | null;
  /** The state that the next claim may reuse after a failure; null when there is none. */
  reusable: KeptState | null = null;
  #doubt: StreamError | RefusedError | null = null;

  constructor(partition: number, context: TaskContext, suspects: Suspects, kept: KeptState | null) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
    this.#kept = kept;
    this.#processor = kept?.processor ?? null;
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
      if (isBrokerFault(cause)) this.reusable = this.#kept ?? this.committer?.kept ?? null;
      throw cause;
    } finally {
      await this.close();
    }
  }

  async #claimAndProcess(onStep: (step: 'restoring' | 'running') => void): Promise<void> {
    const claimed = await this.#claim();
    onStep('restoring');
    const { pending, isCommitted, processor, lastOffsets } = await this.#stateFor(claimed);
    const { producer, topicId, lost, found } = claimed;
    const partition = this.#partition;
    const context = this.#context;
    const marks = new Map<string, KnownMark>();
    for (const { topic, id, start, end } of claimed.changelogs)
      marks.set(topic, { id, start, end, last: lastOffsets.get(topic) ?? null });
    for (const { topic, end } of claimed.outputs)
      marks.set(topic, { id: null, start: null, end, last: found?.logs[topic]?.last ?? null });
    const outputs = claimed.outputs.map(({ topic }) => topic);
    const work = {
      partition,
      context,
      suspects: this.#suspects,
      processor,
      producer,
      topicId,
      logs: new TaskLogs({ application: context.application, partition, outputs }, marks),
      committed: found,
      lifetime: this.#lifetime,
    };
    const at = { next: claimed.position, inputEpoch: found?.inputEpoch ?? null };
    const committer = new BatchCommitter(work, at);
    this.committer = committer;
    // Commits the position after the lost records, so that the next claim does not count them again.
    if (lost > 0) await committer.commitPosition(at);
    if (pending !== null) await committer.resume(pending, isCommitted);
    onStep('running');
    const readEpoch = pending?.reached.inputEpoch ?? (lost === 0 ? at.inputEpoch : null);
    await this.#run(committer, { processor, producer, input: claimed.input }, readEpoch);
  }

  /** Fences the previous owner, decides its transaction and checks the logs. Rejects with `RefusedError`, `StreamError`. */
  async #claim(): Promise<Claimed> {
    const context = this.#context;
    const { application, client, input: topic, changelogs, positions, partitions } = context;
    const partition = this.#partition;
    const lifetime = this.#lifetime;
    if (partition >= partitions)
      throw new RefusedError(
        'PARTITIONS_DIFFER',
        `${topic} has a partition ${partition} now, the topics of ${application} have ${partitions}: do not add partitions to any of ` +
          'them while it runs; see docs/guides/operate.md, "A topic with other partitions"',
      );
    if (context.requireTopics !== undefined) await lifetime.guard(context.requireTopics());
    const producer = lifetime.hold(
      await client.openProducer({
        transactionalId: transactionalIdOf(context, partition),
        ...writesOf(context, partition),
        lastCommitted: async () => (await findPosition(client, positions, partition))?.producer ?? null,
        signal: lifetime.signal,
      }),
    );
    this.#producer = producer;
    const maxBytes = Math.min(FETCH_BYTES, Math.floor(ALL_FETCH_BYTES / (2 * partitions)));
    const input = lifetime.hold(client.openReader({ topic, partition, maxBytes }));
    const topicId = await lifetime.guard(input.topicId());
    const readers = changelogs.map((name) =>
      lifetime.hold(client.openReader({ topic: name, partition, maxBytes: RESTORE_BYTES })),
    );
    const ids = await lifetime.guard(Promise.all(readers.map((reader) => reader.topicId())));
    const checked = await lifetime.guard(checkLogs(context, partition, { input: topicId, changelogs: ids }));
    const found = checked.position;
    const position = startOffset(context, partition, checked);
    return {
      producer,
      input,
      topicId,
      position,
      lost: found === null ? 0 : position - found.next,
      changelogs: checked.changelogs.map((log, at) => ({ ...log, reader: readers[at] as PartitionReader })),
      outputs: checked.outputs,
      found,
    };
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
    const committed = this.committer?.committing?.catch(() => {});
    if (committed !== undefined) await settlesWithin(committed, LAST_COMMIT_MS, this.#context.clock);
    if (this.reusable === null) this.#processor?.close();
    await this.#lifetime.closeAll();
  }

  /** Returns the previous claim's state when nobody else has written since, else restores it from the changelogs. */
  async #stateFor(claimed: Claimed): Promise<{
    /** The kept state's pending commit, and whether it succeeded. */
    readonly pending: PendingCommit | null;
    readonly isCommitted: boolean;
    readonly processor: PartitionProcessor;
    readonly lastOffsets: ReadonlyMap<string, number>;
  }> {
    const { client, metrics, log, partitions } = this.#context;
    const { found, lost, position } = claimed;
    const partition = this.#partition;
    const kept = this.#kept;
    const isProvable = kept !== null && found !== null && lost === 0;
    const proof = isProvable ? await this.#lifetime.guard(prove(client, kept, found, claimed)) : null;
    this.#kept = null;
    if (kept !== null && proof !== null) {
      const { processor, pending } = kept;
      metrics.keptStates.inc({ partition });
      log.info({ partition, entries: processor.size(), position }, 'state kept');
      return { pending, processor, ...proof };
    }
    this.#processor?.close();
    this.#processor = null;
    const processor = this.#context.createProcessor(partition, partitions);
    this.#processor = processor;
    const lastOffsets = await restoreState(this.#context, partition, processor, claimed, this.#lifetime);
    return { pending: null, isCommitted: false, processor, lastOffsets };
  }

  async #run(
    committer: BatchCommitter,
    { processor, producer, input }: Pick<Claimed, 'producer' | 'input'> & { processor: PartitionProcessor },
    readEpoch: number | null,
  ): Promise<never> {
    const { clock, metrics } = this.#context;
    const label = { partition: this.#partition };
    /** The last stable offset, when it last moved or had no records behind it, and whether it is reported. */
    let stable = { end: -1, movedAt: 0, isReported: false };
    // The first read compares the epoch: the log may lose its end between the claim and this read.
    for (let reading = ahead(input.read(committer.position, readEpoch)); ; ) {
      const batch = await this.#lifetime.guard(reading);
      if (this.#doubt !== null) throw this.#doubt;
      // While records wait, fetches the next batch during this one's commit. Otherwise fetches after the commit: what arrives
      // meanwhile is one batch then, and costs one fetch and one transaction.
      const isBehind = batch.records.length === 0 || batch.next < batch.end;
      if (isBehind) reading = ahead(input.read(batch.next));
      if (batch.records.length > 0) await committer.process(batch);
      else {
        if (batch.next > committer.position) await committer.pass(batch, clock.monotonic());
        // A broker may have left the last transaction open in a log.
        await this.#lifetime.guard(producer.requireDecided());
      }
      if (this.#lifetime.isOver) throw new ClosedError();
      if (batch.next >= batch.end) processor.caughtUp?.();
      metrics.lag.set(label, Math.max(0, batch.end - batch.next));
      metrics.undecided.set(label, batch.written - batch.end);
      const now = clock.monotonic();
      if (batch.end !== stable.end || batch.written <= batch.end)
        stable = { end: batch.end, movedAt: now, isReported: false };
      const stuckMs = now - stable.movedAt;
      if (stuckMs >= STUCK_MS && !stable.isReported) {
        stable.isReported = true;
        this.#reportStuck(batch.end);
      }
      metrics.undecidedSeconds.set(label, stuckMs / 1_000);
      metrics.stateSize.set(label, processor.size());
      if (!isBehind) reading = ahead(input.read(batch.next));
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
