import { StreamError } from './errors.ts';
import type { Logger } from './log.ts';
import type { StreamMetrics } from './metrics.ts';
import type {
  ConsumedRecord,
  GroupConsumer,
  OutputRecord,
  StreamClient,
  TransactionalProducer,
} from './port.ts';
import { type PartitionProcessor, PoisonError } from './processor.ts';
import { RecordCollector } from './record-collector.ts';

/**
 * The key of the record that a new owner writes to its changelogs. Its value is null, so that a reader who takes
 * null as "deleted" ignores it without knowing of it.
 */
export const BARRIER_KEY = '__barrier';

/** What every task of a stream shares. Topics are names on the broker. */
export type TaskContext = {
  readonly application: string;
  readonly input: string;
  readonly changelogs: readonly string[];
  readonly client: StreamClient;
  readonly consumer: GroupConsumer;
  readonly createProcessor: (partition: number) => PartitionProcessor;
  readonly deadLetter: (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;
  readonly metrics: StreamMetrics;
  readonly log: Logger;
};

export type TaskState = 'taking' | 'restoring' | 'running' | 'lost' | 'closed';

/**
 * One partition of the input and what this process holds for it.
 *
 * Taking it over goes in this order: open the transactional producer, which fences the owner before and settles
 * its transaction; write a barrier to the changelogs; only then ask for the committed position, since an earlier
 * answer may be older than that owner's last commit; read the changelogs up to the barrier; process.
 *
 * After any failure the outcome of the transaction is unknown, so producer, processor and everything in memory are
 * thrown away and the partition is taken anew from what was committed.
 */
export class Task {
  readonly partition: number;
  readonly #context: TaskContext;
  #state: TaskState = 'lost';
  #producer: TransactionalProducer | null = null;
  #processor: PartitionProcessor | null = null;
  /** Offset of the next input record: the only authority on what is processed. */
  #position = 0;
  /** Changelogs still to be read, each up to its barrier. */
  #barriers = new Map<string, number>();
  #restoreStarted = 0;
  /** Offset of the record that failed last, and whether it failed again after a rebuild. */
  #suspect: { offset: number; error: PoisonError | null } | null = null;

  constructor(partition: number, context: TaskContext) {
    this.partition = partition;
    this.#context = context;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** Takes the partition over; ends when its changelogs are being read, or when it is lost again. */
  async take(): Promise<void> {
    const { application, client, consumer, changelogs, input, createProcessor } = this.#context;
    this.#state = 'taking';
    try {
      const producer = await client.openTransactionalProducer(`${application}-${input}-${this.partition}`);
      if (this.#isClosed()) return await producer.close();
      this.#producer = producer;
      const barriers = await producer.transact(
        changelogs.map((topic) => ({ topic, partition: this.partition, key: BARRIER_KEY, value: null })),
        null,
      );
      const of = { topic: input, partition: this.partition };
      const position = (await client.committedOffset(application, of)) ?? (await client.earliestOffset(of));
      const starts = await Promise.all(
        changelogs.map((topic) => client.earliestOffset({ topic, partition: this.partition })),
      );
      if (this.#isClosed()) return;
      this.#position = position;
      this.#processor = createProcessor(this.partition);
      this.#barriers = new Map(
        changelogs.map((topic) => [topic, barriers.get(`${topic}-${this.partition}`) ?? -1]),
      );
      this.#restoreStarted = performance.now();
      this.#state = 'restoring';
      changelogs.forEach((topic, at) => {
        consumer.seek({ topic, partition: this.partition }, starts[at] ?? 0);
        consumer.resume({ topic, partition: this.partition });
      });
      if (changelogs.length === 0) this.#run();
    } catch (error) {
      await this.#lose(error);
    }
  }

  /** After a rebalance that left it here: goes on where it was, whatever position the client believes in. */
  keep(): void {
    this.#run();
  }

  /** Records of the input or of a changelog. Never rejects. */
  async onRecords(
    topic: string,
    records: readonly ConsumedRecord[],
    endOffset: number,
    stillHere: () => Promise<void>,
  ): Promise<void> {
    try {
      if (topic === this.#context.input) {
        if (this.#state === 'running') await this.#process(records, endOffset, stillHere);
      } else if (this.#state === 'restoring') {
        await this.#restore(topic, records);
      }
    } catch (error) {
      await this.#lose(error);
    }
  }

  /** Lets go of the partition. What is not committed is the next owner's to do again. */
  async close(): Promise<void> {
    this.#state = 'closed';
    await this.#release();
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  async #restore(topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    const { consumer, metrics } = this.#context;
    const barrier = this.#barriers.get(topic);
    const processor = this.#processor;
    if (barrier === undefined || processor === null) return;
    const restored = records.filter(({ offset, key }) => offset < barrier && key?.toString() !== BARRIER_KEY);
    await processor.restore(topic, restored);
    if (records.some(({ offset }) => offset >= barrier)) {
      this.#barriers.delete(topic);
      consumer.pause({ topic, partition: this.partition });
    }
    metrics.restoredRecords.inc(records.length);
    if (this.#barriers.size > 0) return;
    const seconds = (performance.now() - this.#restoreStarted) / 1_000;
    metrics.restoreSeconds.inc(seconds);
    this.#context.log.info(
      { partition: this.partition, entries: processor.size(), seconds, position: this.#position },
      'partition taken',
    );
    this.#run();
  }

  #run(): void {
    const { consumer, input } = this.#context;
    if (this.#isClosed()) return;
    this.#state = 'running';
    consumer.seek({ topic: input, partition: this.partition }, this.#position);
    consumer.resume({ topic: input, partition: this.partition });
  }

  async #process(
    records: readonly ConsumedRecord[],
    endOffset: number,
    stillHere: () => Promise<void>,
  ): Promise<void> {
    const processor = this.#processor;
    const producer = this.#producer;
    if (processor === null || producer === null) return;
    let collector = new RecordCollector(this.partition);
    let next = this.#position;
    let count = 0;
    for (const record of records) {
      // The client may give again what is committed already; never what lies ahead of a gap.
      if (record.offset < next) continue;
      await this.#processOne(processor, record, collector);
      next = record.offset + 1;
      count += 1;
      if (processor.isFull === undefined || !processor.isFull()) continue;
      await this.#commit(processor, producer, collector, { next, count, endOffset });
      collector = new RecordCollector(this.partition);
      count = 0;
      await stillHere();
    }
    if (count > 0) await this.#commit(processor, producer, collector, { next, count, endOffset });
  }

  async #commit(
    processor: PartitionProcessor,
    producer: TransactionalProducer,
    collector: RecordCollector,
    { next, count, endOffset }: { next: number; count: number; endOffset: number },
  ): Promise<void> {
    const { application, input, metrics } = this.#context;
    processor.flush(collector);
    const started = performance.now();
    await producer.transact(collector.records, {
      group: application,
      topic: input,
      partition: this.partition,
      next,
    });
    metrics.commitSeconds.observe((performance.now() - started) / 1_000);
    this.#position = next;
    if (this.#suspect !== null && this.#suspect.offset < next) this.#suspect = null;
    processor.committed();
    const label = { partition: this.partition };
    metrics.records.inc(label, count);
    metrics.transactions.inc(label);
    metrics.lag.set(label, Math.max(0, endOffset - next));
    metrics.stateSize.set(label, processor.size());
  }

  async #processOne(
    processor: PartitionProcessor,
    record: ConsumedRecord,
    collector: RecordCollector,
  ): Promise<void> {
    if (this.#suspect?.offset === record.offset && this.#suspect.error !== null) {
      this.#bury(record, this.#suspect.error, collector);
      return;
    }
    try {
      const processing = processor.process(record, collector);
      if (processing !== undefined) await processing;
    } catch (error) {
      if (error instanceof PoisonError) {
        this.#bury(record, error, collector);
        return;
      }
      // Something it needs is away: that says nothing of the record, however often it happens.
      if (error instanceof StreamError) throw error;
      const again = this.#suspect?.offset === record.offset;
      const poison = new PoisonError('processing_failed', `cannot be processed: ${String(error)}`, error);
      this.#suspect = { offset: record.offset, error: again ? poison : null };
      throw error;
    }
  }

  #bury(record: ConsumedRecord, error: PoisonError, collector: RecordCollector): void {
    const { deadLetter, metrics, log } = this.#context;
    const letter = deadLetter(this.partition, record, error);
    collector.add(letter.topic, letter.key, letter.value, letter.partition);
    metrics.deadLetters.inc({ code: error.code });
    log.warn(
      { partition: this.partition, offset: record.offset, code: error.code, err: error },
      'dead letter',
    );
  }

  async #lose(error: unknown): Promise<void> {
    const { consumer, input, changelogs, metrics, log } = this.#context;
    if (this.#isClosed()) return;
    this.#state = 'lost';
    const code = error instanceof StreamError ? error.code : 'PROCESSING_FAILED';
    metrics.failures.inc({ code });
    const fields = { partition: this.partition, code, err: error };
    if (code === 'PROCESSING_FAILED') log.error(fields, 'task failed and is taken anew');
    else log.warn(fields, 'task lost, taken anew once the group confirms it');
    for (const topic of [input, ...changelogs]) consumer.pause({ topic, partition: this.partition });
    await this.#release();
  }

  async #release(): Promise<void> {
    const producer = this.#producer;
    const processor = this.#processor;
    this.#producer = null;
    this.#processor = null;
    this.#barriers.clear();
    processor?.close();
    await producer?.close();
  }
}
