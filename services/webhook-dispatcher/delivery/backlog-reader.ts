import { LRUCache } from 'lru-cache';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { WebhookMessage } from '#records/types.ts';
import type { LogBounds, PartitionReader, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Decoder } from '#topics/codec.ts';
import { readable } from '#topics/readable.ts';
import type { MessageAtOffset } from './message-window.ts';

/** Consecutive messages of a partition. */
export type MessageChunk = {
  readonly messages: readonly MessageAtOffset[];
  /** The next offset to read. */
  readonly next: number;
};

/** Thrown when an offset is no longer in the log, which begins at `start`. */
export class ExpiredError extends TouchlineError<'ExpiredError'> {
  override readonly name = 'ExpiredError';
  readonly start: number;

  constructor({ start }: LogBounds, cause: unknown) {
    super('MESSAGES_EXPIRED', `messages before offset ${start} have expired`, cause);
    this.start = start;
  }
}

type BacklogReaderOptions = {
  readonly client: StreamClient;
  /** Name of webhook-messages on the broker. */
  readonly topic: string;
  readonly decoder: Decoder<WebhookMessage>;
  /** Maximum number of concurrent reads; others wait in the order of their requests. */
  readonly concurrency: number;
  /** Size of the cache of earlier reads, which other subscriptions may need too, bytes of messages. */
  readonly cacheBytes: number;
};

/** Limit of one read, bytes; at least one record batch is read, however large. */
const READ_BYTES = 512 * 1024;

/** The messages of a partition from an offset on. */
type CachedRead = MessageChunk & { readonly partition: number; readonly from: number };

/** Readers by partition, for one read at a time. */
type Slot = Map<number, PartitionReader>;

/**
 * Reads webhook-messages for subscriptions that are behind, with a limit of concurrent reads for all of them. Caches the
 * latest reads, and shares a pending read among all that request it.
 */
export class BacklogReader {
  readonly #options: BacklogReaderOptions;
  readonly #free: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  /** By partition and offset. */
  readonly #cache: LRUCache<string, CachedRead>;
  /** Pending reads, by partition and offset. */
  readonly #pending = new Map<string, Promise<MessageChunk>>();

  constructor(options: BacklogReaderOptions) {
    this.#options = options;
    this.#cache = new LRUCache({ maxSize: options.cacheBytes });
    this.#free = Array.from({ length: options.concurrency }, () => new Map());
  }

  /**
   * Returns messages at or after an offset; none at an open transaction. Rejects with `ExpiredError`, and with
   * `StreamError` when the broker does not answer for a long time.
   */
  async read(partition: number, offset: number): Promise<MessageChunk> {
    const cached = this.#findCached(partition, offset);
    if (cached !== null) return cached;
    const key = `${partition}/${offset}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const reading = this.#readNow(partition, offset).finally(() => this.#pending.delete(key));
    this.#pending.set(key, reading);
    return reading;
  }

  async #readNow(partition: number, offset: number): Promise<MessageChunk> {
    const slot = await this.#acquire();
    try {
      const chunk = await this.#readWith(slot, partition, offset);
      this.#addToCache(partition, offset, chunk);
      return chunk;
    } finally {
      this.#release(slot);
    }
  }

  async #readWith(slot: Slot, partition: number, offset: number): Promise<MessageChunk> {
    const { client, topic, decoder } = this.#options;
    const reader = slot.get(partition) ?? client.openReader({ topic, partition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(offset);
      const found = await readable(decoder, { topic, partition }, records);
      const messages = found.flatMap(({ value, record: { offset: at, traceparent } }): MessageAtOffset[] =>
        value === null ? [] : [{ offset: at, message: value, traceparent }],
      );
      return { messages, next };
    } catch (error) {
      slot.delete(partition);
      await reader.close();
      if (!(error instanceof StreamError) || error.code !== 'OFFSET_OUT_OF_RANGE') throw error;
      const [bounds] = await client.logBounds([{ topic, partition }]);
      throw new ExpiredError(bounds as LogBounds, error);
    }
  }

  #findCached(partition: number, offset: number): MessageChunk | null {
    for (const [key, cached] of this.#cache.entries()) {
      if (cached.partition !== partition || offset < cached.from || offset >= cached.next) continue;
      // Marks it as used.
      this.#cache.get(key);
      const first = cached.messages.findIndex((message) => message.offset >= offset);
      return { messages: first < 0 ? [] : cached.messages.slice(first), next: cached.next };
    }
    return null;
  }

  #addToCache(partition: number, from: number, chunk: MessageChunk): void {
    if (chunk.next <= from) return;
    const bytes = chunk.messages.reduce((sum, { message }) => sum + message.message.length, 0);
    // The cache requires a positive size, and a read without messages has no bytes.
    this.#cache.set(`${partition}/${from}`, { ...chunk, partition, from }, { size: Math.max(bytes, 1) });
  }

  #acquire(): Promise<Slot> {
    const slot = this.#free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}
