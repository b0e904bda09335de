import { LRUCache } from 'lru-cache';
import { defineError } from '#errors/touchline-error.ts';
import type { LogBounds, PartitionReader, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { decodeRecords, type OpenTopics } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { type MessageAtOffset, type MessageChunk, messagesOf, TOPIC } from './message-reader.ts';

/** Thrown when an offset is no longer in the log, which begins at `start`. */
export class ExpiredError extends defineError('ExpiredError') {
  readonly start: number;

  constructor({ start }: LogBounds, cause: unknown) {
    super('MESSAGES_EXPIRED', `messages before offset ${start} have expired`, cause);
    this.start = start;
  }
}

type BacklogOptions = {
  readonly source: OpenTopics;
  readonly client: Pick<StreamClient, 'openReader' | 'logBounds'>;
  readonly partitions: number;
  readonly cacheBytes: number;
  /** Maximum number of concurrent reads; others wait in the order of their requests. */
  readonly concurrentReads: number;
};

/** Limit of one read, bytes; at least one record batch is read, however large. */
const READ_BYTES = 512 * 1024;

type BacklogRead = {
  readonly partition: number;
  readonly from: number;
  readonly messages: readonly MessageAtOffset[];
  readonly next: number;
};

type ReaderSlot = Map<number, PartitionReader>;

/** Messages older than the latest, by shared and limited reads of the log. */
export class MessageBacklog {
  readonly #options: BacklogOptions;
  readonly #freeSlots: ReaderSlot[];
  readonly #waiting: ((slot: ReaderSlot) => void)[] = [];
  readonly #cache: LRUCache<string, BacklogRead>;
  readonly #pending = new PromiseCache<BacklogRead>();

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#freeSlots = Array.from({ length: options.concurrentReads }, () => new Map());
    this.#cache = new LRUCache({ maxSize: options.cacheBytes });
  }

  /** Reads messages; none at an open transaction. Rejects with `ExpiredError`, and `StreamError`. */
  async read(partition: number, offset: number): Promise<MessageChunk> {
    const cached = this.#findCached(partition, offset);
    if (cached !== undefined) return cached;
    const key = `${partition}/${offset}`;
    const read = () => this.#readNow(partition, offset).finally(() => this.#pending.forget(key));
    return this.#pending.get(key, read);
  }

  async #readNow(partition: number, from: number): Promise<BacklogRead> {
    const slot =
      this.#freeSlots.pop() ?? (await new Promise<ReaderSlot>((resolve) => this.#waiting.push(resolve)));
    try {
      const read = await this.#readWith(slot, partition, from);
      if (read.next <= from) return read;
      const bytes = read.messages.reduce((sum, { message }) => sum + message.message.length, 0);
      // The cache requires a positive size, and a read without messages has no bytes.
      this.#cache.set(`${partition}/${from}`, read, { size: Math.max(bytes, 1) });
      return read;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#freeSlots.push(slot);
      else next(slot);
    }
  }

  async #readWith(slot: ReaderSlot, partition: number, from: number): Promise<BacklogRead> {
    const { client, source, partitions } = this.#options;
    const topicPartition = { topic: topicName(source.prefix, TOPIC), partition };
    const reader = slot.get(partition) ?? client.openReader({ ...topicPartition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(from);
      const decoder = source.registry.decoder(TOPIC);
      const values = await decodeRecords(decoder, topicPartition, records, undefined, { partitions });
      return {
        partition,
        from,
        messages: messagesOf(values.map(({ record, value }) => ({ ...record, value }))),
        next,
      };
    } catch (error) {
      slot.delete(partition);
      await reader.close();
      if (!(error instanceof StreamError) || error.code !== 'OFFSET_OUT_OF_RANGE') throw error;
      const [bounds] = await client.logBounds([topicPartition]);
      throw new ExpiredError(bounds as LogBounds, error);
    }
  }

  #findCached(partition: number, offset: number): MessageChunk | undefined {
    for (const [key, read] of this.#cache.entries()) {
      if (read.partition !== partition || offset < read.from || offset >= read.next) continue;
      this.#cache.get(key);
      return { messages: read.messages.filter((message) => message.offset >= offset), next: read.next };
    }
    return undefined;
  }
}
