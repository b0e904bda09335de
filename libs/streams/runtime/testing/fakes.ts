import type {
  OutputRecord,
  ProducerOptions,
  ReadBatch,
  ReaderOptions,
  StreamClient,
  TopicPartition,
} from '../../client/port.ts';
import { StreamError } from '../../errors.ts';
import type { PartitionProcessor, RecordCollector } from '../processor.ts';

/** The record of each partition that has one. */
export const RECORD = { offset: 0, timestamp: 0, key: Buffer.from('a'), value: Buffer.from('1') };

/** A client whose partitions have one record each if a test adds them to `full`. Records the transactions. */
export class FakeClient implements StreamClient {
  readonly transactions: (readonly OutputRecord[])[] = [];
  readonly full = new Set<string>();
  readonly broken = new Set<string>();
  opening: (options: ProducerOptions) => Promise<void> = async () => {};
  isFenced = false;
  /** Waiting reads. */
  readonly reads: PromiseWithResolvers<ReadBatch>[] = [];
  opened = 0;
  closed = 0;

  async openProducer(options: ProducerOptions) {
    await this.opening(options);
    this.opened += 1;
    return {
      identity: { id: '1', epoch: this.opened },
      transact: async (records: readonly OutputRecord[]) => void this.transactions.push(records),
      requireDecided: async () => {},
      requireCurrent: async () => {
        if (this.isFenced) throw new StreamError('FENCED', 'as this test wants it');
      },
      close: async () => {
        this.closed += 1;
      },
    };
  }

  openReader({ topic }: ReaderOptions) {
    const ended = Promise.withResolvers<ReadBatch>();
    ended.promise.catch(() => {});
    this.reads.push(ended);
    return {
      topicId: async () => 'id',
      read: async (offset: number): Promise<ReadBatch> => {
        if (this.broken.has(topic)) throw new StreamError('UNAVAILABLE', 'as this test wants it');
        if (this.full.has(topic) && offset === 0)
          return { records: [RECORD], next: 1, end: 1, written: 1, epoch: null };
        return ended.promise;
      },
      close: async () => ended.reject(new StreamError('UNAVAILABLE', 'closed')),
    };
  }

  openGroupMember(): never {
    throw new Error('no topic of a task');
  }

  async logBounds<P extends TopicPartition>(of: readonly P[]) {
    const has = ({ topic }: P): boolean => this.full.has(topic) || this.broken.has(topic);
    return of.map((one) => ({ ...one, start: 0, end: has(one) ? 1 : 0 }));
  }

  async epochEnd() {
    return null;
  }

  async topicIds(topics: readonly string[]) {
    return new Map(topics.map((topic) => [topic, 'id']));
  }

  async partitionCount() {
    return 1;
  }

  async close() {}
}

/** A processor that records its calls. `waits`: promises that the calls return. */
export class FakeProcessor implements PartitionProcessor {
  readonly did: string[] = [];
  readonly waits: Partial<Record<'restore' | 'process', Promise<void>>>;

  constructor(waits: FakeProcessor['waits'] = {}) {
    this.waits = waits;
  }

  restore(topic: string): void | Promise<void> {
    this.did.push(`restore ${topic}`);
    return this.waits.restore;
  }

  process(): void | Promise<void> {
    this.did.push('process');
    return this.waits.process;
  }

  flush(_: RecordCollector): void {
    this.did.push('flush');
  }

  committed(): void {
    this.did.push('committed');
  }

  size(): number {
    return 1;
  }

  close(): void {
    this.did.push('close');
  }
}
