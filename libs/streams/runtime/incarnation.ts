import { settlesWithin } from '#timing/settles-within.ts';
import type {
  LogBounds,
  PartitionReader,
  ReadBatch,
  TopicPartition,
  TransactionalProducer,
} from '../client/port.ts';
import { RefusedError, StreamError } from '../errors.ts';
import { BatchCommitter, ClosedError } from './batch-committer.ts';
import { ChangelogEnds } from './changelog-ends.ts';
import { type KeptState, type PendingCommit, prove } from './kept-state.ts';
import { findPosition, type Position } from './positions.ts';
import type { PartitionProcessor } from './processor.ts';
import { requireSameCommit } from './same-commit.ts';
import { StableWatch } from './stable-watch.ts';
import {
  type ChangelogRecord,
  findValue,
  positionMissing,
  requireLastRecord,
  requireSameChangelogs,
  requireSameInput,
  requireWholeChangelogs,
  startOffset,
} from './start-checks.ts';
import { transactionalIdOf, writesOf } from './stream-topics.ts';
import type { Suspects } from './suspects.ts';
import type { TaskContext } from './task-context.ts';

/** A larger batch of a backlog needs fewer transactions, and one match-state for more messages. */
const FETCH_BYTES = 4 * 1024 * 1024;
/** For all partitions together; each holds two answers: the one in process and the next. */
const ALL_FETCH_BYTES = 32 * 1024 * 1024;
const RESTORE_BYTES = 1024 * 1024;
/** How long restoring a changelog may make no progress: another producer has an open transaction in it. */
const RESTORE_STALL_MS = 30_000;
/** How long a close waits for a commit under way. */
const LAST_COMMIT_MS = 2_000;

/** A changelog to restore from. */
type Changelog = TopicPartition & LogBounds & { readonly reader: PartitionReader };

/** The result of a claim. */
type Claimed = {
  readonly producer: TransactionalProducer;
  readonly input: PartitionReader;
  readonly topicId: string;
  readonly changelogIds: Readonly<Record<string, string>>;
  /** Offset of the next input record. */
  readonly position: number;
  readonly inputEpoch: number | null;
  /** That of the input record before `position`; null where it is unknown. */
  readonly readEpoch: number | null;
  /** Input records that were removed before they were processed, and are given up. */
  readonly lost: number;
  readonly changelogs: readonly Changelog[];
  /** Those that only this task writes to. */
  readonly outputs: readonly (TopicPartition & LogBounds)[];
  /** Its last commit; null without one. */
  readonly found: Position | null;
};

/**
 * One claim of a partition, from fencing to close. It shares nothing with other claims: after an await it may find itself
 * replaced, and then it is closed and its producer fenced.
 */
export class Incarnation {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #held: { close(): void | Promise<void> }[] = [];
  /** Aborted on close. */
  readonly #closing = new AbortController();
  #producer: TransactionalProducer | null = null;
  #committer: BatchCommitter | null = null;
  /** Closed with it, unless it is left to the next claim. */
  #processor: PartitionProcessor | null;
  /** The state of the claim before, until it is proven. */
  #kept: KeptState | null;
  #left: KeptState | null = null;

  constructor(partition: number, context: TaskContext, suspects: Suspects, kept: KeptState | null) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
    this.#kept = kept;
    this.#processor = kept?.processor ?? null;
  }

  /** After a failure, the state that the next claim may go on with. */
  get left(): KeptState | null {
    return this.#left;
  }

  /** Committed offset of the next input record; null before the partition is processed. */
  get position(): number | null {
    return this.#committer?.position ?? null;
  }

  /**
   * Claims the partition, restores its state and processes its input until it is closed; calls `reached` in between.
   * Rejects with the failure: nothing of the incarnation may be used after it.
   */
  async live(reached: (step: 'restoring' | 'running') => void): Promise<void> {
    try {
      await this.#live(reached);
    } catch (error) {
      if (error instanceof ClosedError || this.#isClosed) return;
      const cause = error instanceof RefusedError ? await this.#causeOf(error) : error;
      if (this.#isClosed) return;
      if (isOfBroker(cause)) this.#left = this.#kept ?? this.#committer?.kept ?? null;
      throw cause;
    } finally {
      await this.close();
    }
  }

  async #live(reached: (step: 'restoring' | 'running') => void): Promise<void> {
    const claimed = await this.#claim();
    reached('restoring');
    const { kept, processor, lasts } = await this.#stateFor(claimed);
    const { producer, topicId, changelogIds, position, inputEpoch, found } = claimed;
    const ends = new Map([...claimed.changelogs, ...claimed.outputs].map(({ topic, end }) => [topic, end]));
    const allLasts = new Map([...lasts, ...Object.entries(found?.outputLasts ?? {})]);
    const { application, mixedChangelogs = [] } = this.#context;
    const outputs = claimed.outputs.map(({ topic }) => topic);
    const of = { application, partition: this.#partition, outputs, mixedChangelogs };
    const work = {
      processor,
      producer,
      topicId,
      changelogIds,
      changelogEnds: new ChangelogEnds(of, ends, allLasts),
      committed: found === null ? null : { producer: found.producer, next: found.next },
      isClosed: () => this.#isClosed,
    };
    const at = { next: position, inputEpoch };
    const committer = new BatchCommitter(this.#partition, this.#context, this.#suspects, work, at);
    this.#committer = committer;
    // Records that are lost are counted once: the next claim begins behind them.
    if (claimed.lost > 0) await committer.commitPosition(at);
    if (kept?.pending != null) await committer.resume(kept.pending, kept.isCommitted);
    reached('running');
    const readEpoch = kept?.pending?.reached.inputEpoch ?? claimed.readEpoch;
    await this.#run(processor, committer, claimed.input, readEpoch);
  }

  /** A new owner writes while this one still reads: what does not fit together is a refusal only where nobody else wrote. */
  async #causeOf(refusal: RefusedError): Promise<unknown> {
    try {
      await this.#producer?.requireCurrent();
      return refusal;
    } catch (error) {
      return error;
    }
  }

  /** Closes it: waits a moment for a commit under way. The next owner repeats what is not committed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    const committing = this.#committer?.committing ?? null;
    if (committing !== null)
      await settlesWithin(
        committing.catch(() => {}),
        LAST_COMMIT_MS,
        this.#context.clock,
      );
    if (this.#left === null) this.#processor?.close();
    await Promise.allSettled(this.#held.map(async (held) => held.close()));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Fences the previous owner, decides its last transaction, and finds the position. */
  async #claim(): Promise<Claimed> {
    const { application, client, input: topic, changelogs, positions, partitions } = this.#context;
    const { mixedChangelogs = [], outputs } = this.#context;
    const partition = this.#partition;
    if (partition >= partitions) {
      throw new RefusedError(
        'PARTITIONS_DIFFER',
        `${topic} has a partition ${partition} now, the topics of ${application} have ${partitions}: add partitions to none of ` +
          'them while it runs; see docs/guides/operate.md, "A topic with other partitions"',
      );
    }
    const producer = this.#hold(
      await client.openProducer({
        transactionalId: transactionalIdOf(this.#context, partition),
        ...writesOf(this.#context, partition),
        lastCommitted: async () => (await findPosition(client, positions, partition))?.producer ?? null,
        signal: this.#closing.signal,
      }),
    );
    this.#producer = producer;
    const maxBytes = Math.min(FETCH_BYTES, Math.floor(ALL_FETCH_BYTES / (2 * partitions)));
    const input = this.#hold(client.openReader({ topic, partition, maxBytes }));
    const topicId = await this.#still(input.topicId());
    const readers = changelogs.map((name) =>
      this.#hold(client.openReader({ topic: name, partition, maxBytes: RESTORE_BYTES })),
    );
    const ids = await this.#still(Promise.all(readers.map((reader) => reader.topicId())));
    const changelogIds = Object.fromEntries(changelogs.map((name, at) => [name, ids[at] as string]));
    const ownOutputs = outputs.filter(({ partitions: of }) => of === 'own').map(({ topic: name }) => name);
    const names = [positions, topic, ...changelogs, ...ownOutputs];
    const bounds = await this.#still(client.logBounds(names.map((name) => ({ topic: name, partition }))));
    const [ofPositions, ofInput, ...ofLogs] = bounds as [LogBounds, LogBounds, ...LogBounds[]];
    const restored = changelogs.map((name, at) => ({
      topic: name,
      partition,
      reader: readers[at] as PartitionReader,
      ...(ofLogs[at] as LogBounds),
    }));
    const written = ownOutputs.map((name, at) => ({
      topic: name,
      partition,
      ...(ofLogs[changelogs.length + at] as LogBounds),
    }));
    const position = await this.#still(findPosition(client, positions, partition, ofPositions));
    const own = restored.filter(({ topic: name }) => !mixedChangelogs.includes(name));
    if (position === null) {
      const state = await this.#still(findValue(client, own));
      if (state !== null) throw positionMissing(this.#context, state);
    } else {
      requireSameChangelogs(application, partition, position, changelogIds);
      const ends = Object.fromEntries(restored.map(({ topic: name, end }) => [name, end]));
      requireWholeChangelogs(application, partition, position, ends);
      await this.#still(requireSameCommit(this.#context, position, [...own, ...written]));
      const { inputEpoch } = position;
      if (inputEpoch !== null && position.topicId === topicId && position.next <= ofInput.end) {
        const found = await this.#still(client.epochEnd({ topic, partition }, inputEpoch));
        requireSameInput(this.#context, partition, position, found);
      }
    }
    const start = startOffset(this.#context, partition, { position, topicId, input: ofInput });
    const inputEpoch = position?.inputEpoch ?? null;
    const lost = position === null ? 0 : Math.max(0, start - position.next);
    return {
      producer,
      input,
      topicId,
      changelogIds,
      position: start,
      inputEpoch,
      readEpoch: lost === 0 ? inputEpoch : null,
      lost,
      changelogs: restored,
      outputs: written,
      found: position,
    };
  }

  /** The state in memory where nobody else has written since, else the one that the changelogs have. */
  async #stateFor(claimed: Claimed): Promise<{
    readonly kept: { readonly pending: PendingCommit | null; readonly isCommitted: boolean } | null;
    readonly processor: PartitionProcessor;
    readonly lasts: ReadonlyMap<string, number>;
  }> {
    const { client, metrics, log } = this.#context;
    const { found, lost } = claimed;
    const partition = this.#partition;
    const kept = this.#kept;
    if (kept !== null && found !== null && lost === 0) {
      const proof = await this.#still(prove(client, kept, { ...claimed, position: found }));
      this.#kept = null;
      if (proof !== null) {
        metrics.keptStates.inc({ partition });
        const { processor, pending } = kept;
        log.info({ partition, entries: processor.size(), position: claimed.position }, 'state kept');
        return { kept: { pending, isCommitted: proof.isCommitted }, processor, lasts: proof.changelogLasts };
      }
    }
    this.#kept = null;
    this.#processor?.close();
    this.#processor = null;
    const processor = this.#context.createProcessor(partition);
    this.#processor = processor;
    return { kept: null, processor, lasts: await this.#restore(processor, claimed) };
  }

  /** The offset of the last record of each changelog, by name; without those that end with a tombstone. */
  async #restore(
    processor: PartitionProcessor,
    { changelogs, position, found }: Claimed,
  ): Promise<Map<string, number>> {
    const { application, clock, metrics, log } = this.#context;
    const started = clock.monotonic();
    const restored = await this.#still(
      Promise.all(
        changelogs.map(async (changelog) => ({
          ...changelog,
          last: await this.#restoreOne(processor, changelog),
        })),
      ),
    );
    if (found !== null)
      for (const one of restored) requireLastRecord(application, this.#partition, found, one);
    const seconds = (clock.monotonic() - started) / 1_000;
    metrics.restoreSeconds.inc(seconds);
    log.info(
      { partition: this.#partition, entries: processor.size(), seconds, position },
      'partition restored',
    );
    return new Map(
      restored.flatMap(({ topic, last }) =>
        last === null || last.isTombstone ? [] : [[topic, last.offset] as const],
      ),
    );
  }

  async #restoreOne(
    processor: PartitionProcessor,
    { topic, partition, start, end, reader }: Changelog,
  ): Promise<ChangelogRecord | null> {
    let last: ChangelogRecord | null = null;
    const { clock, metrics } = this.#context;
    let movedAt = clock.monotonic();
    for (let at = start, reading = start < end ? ahead(reader.read(start)) : null; reading !== null; ) {
      const batch = await this.#still(reading);
      if (batch.next === at && clock.monotonic() > movedAt + RESTORE_STALL_MS) {
        throw new StreamError(
          'UNAVAILABLE',
          `${topic}-${partition} can be read up to ${at} only, of ${end}: a transaction is open in it`,
        );
      }
      if (batch.next > at) movedAt = clock.monotonic();
      at = batch.next;
      reading = at < end ? ahead(reader.read(at)) : null;
      const restoring = processor.restore(topic, batch.records);
      if (restoring !== undefined) await this.#still(restoring);
      metrics.restoredRecords.inc(batch.records.length);
      const newest = batch.records.at(-1);
      if (newest !== undefined) last = { offset: newest.offset, isTombstone: newest.value === null };
    }
    await reader.close();
    return last;
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
    // The log may lose its end between the claim and the first answer.
    for (let reading = ahead(input.read(committer.position, readEpoch)); ; ) {
      const batch = await this.#still(reading);
      // Fetches the next answer while this one is processed and committed.
      reading = ahead(input.read(batch.next));
      if (batch.records.length > 0) await committer.process(batch);
      else {
        if (batch.next > committer.position) await committer.pass(batch, clock.monotonic());
        await committer.requireDecided();
      }
      if (this.#isClosed) throw new ClosedError();
      if (batch.next >= batch.end) processor.caughtUp?.();
      metrics.lag.set(label, Math.max(0, batch.end - batch.next));
      metrics.undecided.set(label, batch.written - batch.end);
      const now = clock.monotonic();
      if (watch.becameStuck(batch.end, batch.written, now)) this.#reportStuck(batch.end);
      metrics.undecidedSeconds.set(label, watch.stuckMs(now) / 1_000);
      metrics.stateSize.set(label, processor.size());
    }
  }

  /** The reader does not know the producer of the transaction: only an operator can find it and end it. */
  #reportStuck(offset: number): void {
    const { input, log } = this.#context;
    const partition = this.#partition;
    log.error(
      { partition, offset, code: 'TRANSACTION_OPEN' },
      `${input}-${partition} cannot be read beyond offset ${offset}: a transaction has been open there for a minute; find its ` +
        `producer with kafka-transactions.sh --bootstrap-server <broker> describe-producers --topic ${input} --partition ${partition}, ` +
        `and where it is gone, end it with abort --topic ${input} --partition ${partition} --start-offset ${offset}`,
    );
  }

  /** Closed with it; immediately where it is closed already. */
  #hold<T extends { close(): void | Promise<void> }>(held: T): T {
    if (this.#isClosed) {
      void held.close();
      throw new ClosedError();
    }
    this.#held.push(held);
    return held;
  }

  /** The awaited value, unless it was closed meanwhile. */
  async #still<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    if (this.#isClosed) throw new ClosedError();
    return result;
  }
}

/** Whether it may have its cause in the broker and the network alone. */
function isOfBroker(error: unknown): boolean {
  return error instanceof StreamError && ['UNAVAILABLE', 'UNDECIDED', 'FENCED'].includes(error.code);
}

/** A read that is awaited later: a failure surfaces then. */
function ahead(reading: Promise<ReadBatch>): Promise<ReadBatch> {
  reading.catch(() => {});
  return reading;
}
