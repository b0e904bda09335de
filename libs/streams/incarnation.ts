import { RefusedError, StreamError } from './errors.ts';
import type { Logger } from './log.ts';
import type { StreamMetrics } from './metrics.ts';
import type {
  ConsumedRecord,
  LogBounds,
  OutputRecord,
  PartitionReader,
  ReadBatch,
  StreamClient,
  TopicPartition,
  TransactionalProducer,
} from './port.ts';
import { findPosition, positionRecord } from './positions.ts';
import { type PartitionProcessor, PoisonError } from './processor.ts';
import { RecordCollector } from './record-collector.ts';
import { findValue, positionMissing, startOffset } from './start-checks.ts';
import { type StreamTopics, transactionalIdOf, writesOf } from './stream-topics.ts';
import type { Suspects, TransactionRange } from './suspects.ts';

/** What every task of a stream shares. Topics are names on the broker. */
export type TaskContext = StreamTopics & {
  readonly positions: string;
  /** How many partitions the input and all that has as many have. */
  readonly partitions: number;
  readonly client: StreamClient;
  readonly createProcessor: (partition: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;
  /** What to do where input that was not processed is gone. */
  readonly onLostInput: 'stop' | 'continue';
  readonly metrics: StreamMetrics;
  readonly log: Logger;
};

/** More of a backlog at once makes fewer transactions, and one match-state for more messages. */
const FETCH_BYTES = 4 * 1024 * 1024;
/** Of all partitions together, each of which holds two answers: the one that is processed and the next. */
const ALL_FETCH_BYTES = 64 * 1024 * 1024;
const RESTORE_BYTES = 1024 * 1024;
/** Results that are written at once, so that a transaction ends in its time. */
const MAX_COLLECTED_BYTES = 16 * 1024 * 1024;
/** How long a changelog may stand still while it is restored: a transaction of somebody else is open in it. */
const RESTORE_STALL_MS = 30_000;
/** How long the end waits for a commit that is under way. */
const LAST_COMMIT_MS = 2_000;

/** It was closed while it waited for something: nothing failed. */
class ClosedError extends Error {
  override readonly name = 'ClosedError';
}

/** A transaction that is being put together. */
type Draft = {
  readonly collector: RecordCollector;
  /** Records that are given up in it. */
  readonly letters: { readonly offset: number; readonly error: PoisonError }[];
};

/**
 * One claim of a partition, from fencing to its end. All that it holds is its own: one that goes on after an await although
 * another has taken its place finds itself closed, and its producer fenced.
 */
export class Incarnation {
  readonly #partition: number;
  readonly #context: TaskContext;
  readonly #suspects: Suspects;
  readonly #held: { close(): void | Promise<void> }[] = [];
  /** Aborted when it is closed. */
  readonly #closing = new AbortController();
  #committing: Promise<void> | null = null;
  #position = 0;
  #topicId = '';

  constructor(partition: number, context: TaskContext, suspects: Suspects) {
    this.#partition = partition;
    this.#context = context;
    this.#suspects = suspects;
  }

  /** Offset of the next input record, as far as it is committed. */
  get position(): number {
    return this.#position;
  }

  /**
   * Claims the partition, restores its state and processes its input until it is closed; `reached` is called between.
   * Rejects with what failed: nothing of it may be used after that.
   */
  async live(reached: (step: 'restoring' | 'running') => void): Promise<void> {
    try {
      const claimed = await this.#claim();
      reached('restoring');
      const processor = this.#hold(this.#context.createProcessor(this.#partition));
      await this.#restore(processor, claimed.changelogs);
      reached('running');
      await this.#run(processor, claimed.producer, claimed.input);
    } catch (error) {
      if (!(error instanceof ClosedError) && !this.#isClosed) throw error;
    } finally {
      await this.close();
    }
  }

  /** Ends it: a commit that is under way is waited for a moment. What is not committed is the next owner's to do again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    if (this.#committing !== null) await endsWithin(this.#committing, LAST_COMMIT_MS);
    await Promise.allSettled(this.#held.map(async (held) => held.close()));
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Fences the owner before, decides what it left, and finds where to go on. */
  async #claim(): Promise<{
    producer: TransactionalProducer;
    input: PartitionReader;
    changelogs: (TopicPartition & LogBounds)[];
  }> {
    const { application, client, input: topic, changelogs, positions, partitions } = this.#context;
    const { mixedChangelogs = [] } = this.#context;
    const partition = this.#partition;
    if (partition >= partitions) {
      throw new RefusedError(
        'PARTITIONS_DIFFER',
        `${topic} has a partition ${partition} now, the topics of ${application} have ${partitions}: add partitions to none of ` +
          'them while it runs; see docs/operations.md, "A topic with other partitions"',
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
    const maxBytes = Math.min(FETCH_BYTES, Math.floor(ALL_FETCH_BYTES / (2 * partitions)));
    const input = this.#hold(client.openReader({ topic, partition, maxBytes }));
    this.#topicId = await this.#still(input.topicId());
    const logs = [positions, topic, ...changelogs].map((name) => ({ topic: name, partition }));
    const bounds = await this.#still(client.logBounds(logs));
    const [ofPositions, ofInput, ...ofChangelogs] = bounds as [LogBounds, LogBounds, ...LogBounds[]];
    const restored = changelogs.map((name, at) => ({
      ...{ topic: name, partition },
      ...(ofChangelogs[at] as LogBounds),
    }));
    const position = await this.#still(findPosition(client, positions, partition, ofPositions));
    if (position === null) {
      const own = restored.filter(({ topic: name }) => !mixedChangelogs.includes(name));
      const state = await this.#still(findValue(client, own));
      if (state !== null) throw positionMissing(this.#context, state);
    }
    this.#position = startOffset(this.#context, partition, {
      position,
      topicId: this.#topicId,
      input: ofInput,
    });
    return { producer, input, changelogs: restored };
  }

  async #restore(
    processor: PartitionProcessor,
    changelogs: readonly (TopicPartition & LogBounds)[],
  ): Promise<void> {
    const { metrics, log } = this.#context;
    const started = performance.now();
    await this.#still(Promise.all(changelogs.map((changelog) => this.#restoreOne(processor, changelog))));
    const seconds = (performance.now() - started) / 1_000;
    metrics.restoreSeconds.inc(seconds);
    log.info(
      { partition: this.#partition, entries: processor.size(), seconds, position: this.#position },
      'partition restored',
    );
  }

  async #restoreOne(
    processor: PartitionProcessor,
    { topic, partition, start, end }: TopicPartition & LogBounds,
  ): Promise<void> {
    const { client, metrics } = this.#context;
    if (start === end) return;
    const reader = this.#hold(client.openReader({ topic, partition, maxBytes: RESTORE_BYTES }));
    let movedAt = performance.now();
    for (let at = start, reading = ahead(reader.read(start)); at < end; ) {
      const batch = await this.#still(reading);
      if (batch.next === at && performance.now() > movedAt + RESTORE_STALL_MS) {
        throw new StreamError(
          'UNAVAILABLE',
          `${topic}-${partition} can be read up to ${at} only, of ${end}: a transaction is open in it`,
        );
      }
      if (batch.next > at) movedAt = performance.now();
      at = batch.next;
      if (at < end) reading = ahead(reader.read(at));
      const restoring = processor.restore(topic, batch.records);
      if (restoring !== undefined) await this.#still(restoring);
      metrics.restoredRecords.inc(batch.records.length);
    }
    await reader.close();
  }

  async #run(
    processor: PartitionProcessor,
    producer: TransactionalProducer,
    input: PartitionReader,
  ): Promise<never> {
    const { metrics } = this.#context;
    const label = { partition: this.#partition };
    for (let reading = ahead(input.read(this.#position)); ; ) {
      const batch = await this.#still(reading);
      // The next answer is on its way while this one is processed and committed.
      reading = ahead(input.read(batch.next));
      if (batch.records.length > 0) await this.#process(processor, producer, batch);
      if (this.#isClosed) throw new ClosedError();
      metrics.lag.set(label, Math.max(0, batch.end - batch.next));
      metrics.stateSize.set(label, processor.size());
    }
  }

  async #process(
    processor: PartitionProcessor,
    producer: TransactionalProducer,
    { records, next }: ReadBatch,
  ): Promise<void> {
    const last = records.length - 1;
    let draft = this.#newDraft();
    let from = 0;
    for (let at = 0; at <= last; at += 1) {
      const record = records[at] as ConsumedRecord;
      const processing = this.#processOne(processor, record, draft);
      if (processing !== undefined) await this.#still(processing);
      const first = records[from] as ConsumedRecord;
      const count = at - from + 1;
      const isFull =
        count >= this.#suspects.mostFrom(first.offset) || draft.collector.bytes > MAX_COLLECTED_BYTES;
      if (at < last && !isFull && processor.isFull?.() !== true) continue;
      const range = { first: first.offset, last: record.offset, count };
      // After the last record, control records are behind it as well.
      await this.#still(
        this.#commit(processor, producer, draft, range, at === last ? next : record.offset + 1),
      );
      draft = this.#newDraft();
      from = at + 1;
    }
  }

  #newDraft(): Draft {
    return { collector: new RecordCollector(this.#partition), letters: [] };
  }

  #processOne(processor: PartitionProcessor, record: ConsumedRecord, draft: Draft): void | Promise<void> {
    const verdict = this.#suspects.verdictOn(record.offset);
    if (verdict !== null) {
      this.#giveUp(verdict.isBare ? withoutBytes(record) : record, verdict.error, draft);
      return;
    }
    try {
      const processing = processor.process(record, draft.collector);
      return processing?.catch((error: unknown) => this.#processingFailed(record, error, draft));
    } catch (error) {
      this.#processingFailed(record, error, draft);
    }
  }

  /** Throws again what is no verdict on the record. */
  #processingFailed(record: ConsumedRecord, error: unknown, draft: Draft): void {
    // What went wrong after its end may lie in that.
    if (this.#isClosed) throw new ClosedError();
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

  async #commit(
    processor: PartitionProcessor,
    producer: TransactionalProducer,
    { collector, letters }: Draft,
    range: TransactionRange,
    next: number,
  ): Promise<void> {
    const { positions, metrics, log } = this.#context;
    const partition = this.#partition;
    const position = { next, topicId: this.#topicId, producer: producer.identity };
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
    if (this.#isClosed) throw new ClosedError();
    processor.committed();
  }

  /** Closed with it; at once where it is closed already. */
  #hold<T extends { close(): void | Promise<void> }>(held: T): T {
    if (this.#isClosed) {
      void held.close();
      throw new ClosedError();
    }
    this.#held.push(held);
    return held;
  }

  /** What was waited for, unless it was closed meanwhile. */
  async #still<T>(waited: Promise<T>): Promise<T> {
    const result = await waited;
    if (this.#isClosed) throw new ClosedError();
    return result;
  }
}

function withoutBytes({ offset }: ConsumedRecord): ConsumedRecord {
  return { offset, key: null, value: null };
}

/** A read that is awaited later: its failure is one then. */
function ahead(reading: Promise<ReadBatch>): Promise<ReadBatch> {
  reading.catch(() => {});
  return reading;
}

async function endsWithin(ending: Promise<void>, ms: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([ending.catch(() => {}), timeUp]);
  clearTimeout(timer);
}
