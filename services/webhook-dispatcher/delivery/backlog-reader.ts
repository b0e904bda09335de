import { LRUCache } from 'lru-cache';
import { TouchlineError } from '#errors/touchline-error.ts';
import type { LogBounds, PartitionReader, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Decoder } from '#topics/codec.ts';
import type { WebhookMessage } from '#topics/generated/types.ts';
import type { MessageAtOffset } from './message-window.ts';

/** Consecutive messages of a partition. */
export type Chunk = {
  readonly messages: readonly MessageAtOffset[];
  /** The next offset to read. */
  readonly next: number;
};

/** An offset is no longer in the log, which begins at `start`. */
export class ExpiredError extends TouchlineError<'ExpiredError'> {
  override readonly name = 'ExpiredError';
  readonly start: number;

  constructor({ start }: LogBounds, cause: unknown) {
    super('MESSAGES_EXPIRED', `messages before offset ${start} have expired`, cause);
    this.start = start;
  }
}

export type BacklogReaderOptions = {
  readonly client: StreamClient;
  /** Name of webhook-messages on the broker. */
  readonly topic: string;
  readonly decoder: Decoder<WebhookMessage>;
  /** Reads at once; others wait, first come first served. */
  readonly concurrency: number;
  /** Cache of earlier reads for other subscriptions as far behind, bytes of messages. */
  readonly cacheBytes: number;
};

/** Limit of one read; at least one record batch is read, however large. */
const READ_BYTES = 512 * 1024;

/** The messages read from an offset on. */
type Held = Chunk & { readonly partition: number; readonly from: number };

/** A slot: one read at a time uses its connections. */
type Slot = Map<number, PartitionReader>;

/**
 * Reads webhook-messages for subscriptions that are behind, with a limit of concurrent reads for all of them. Caches the
 * latest reads, and shares a read among all that request it.
 */
export class BacklogReader {
  readonly #options: BacklogReaderOptions;
  readonly #free: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  /** By partition and offset. */
  readonly #held: LRUCache<string, Held>;
  readonly #reading = new Map<string, Promise<Chunk>>();

  constructor(options: BacklogReaderOptions) {
    this.#options = options;
    this.#held = new LRUCache({ maxSize: options.cacheBytes });
    this.#free = Array.from({ length: options.concurrency }, () => new Map());
  }

  /**
   * Messages at or after an offset; none at an open transaction. Rejects with `ExpiredError`, and with `StreamError` after
   * a long time without an answer.
   */
  async read(partition: number, offset: number): Promise<Chunk> {
    const held = this.#find(partition, offset);
    if (held !== null) return held;
    const key = `${partition}/${offset}`;
    const underWay = this.#reading.get(key);
    if (underWay !== undefined) return underWay;
    const reading = this.#readNow(partition, offset).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #readNow(partition: number, offset: number): Promise<Chunk> {
    const slot = await this.#acquire();
    try {
      const chunk = await this.#readWith(slot, partition, offset);
      this.#hold(partition, offset, chunk);
      return chunk;
    } finally {
      this.#release(slot);
    }
  }

  async #readWith(slot: Slot, partition: number, offset: number): Promise<Chunk> {
    const { client, topic, decoder } = this.#options;
    const reader = slot.get(partition) ?? client.openReader({ topic, partition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(offset);
      const messages: MessageAtOffset[] = [];
      for (const { offset: at, value, traceparent } of records)
        if (value !== null) messages.push({ offset: at, message: await decoder.read(value), traceparent });
      return { messages, next };
    } catch (error) {
      slot.delete(partition);
      await reader.close();
      if (!(error instanceof StreamError) || error.code !== 'OFFSET_OUT_OF_RANGE') throw error;
      const [bounds] = await client.logBounds([{ topic, partition }]);
      throw new ExpiredError(bounds as LogBounds, error);
    }
  }

  #find(partition: number, offset: number): Chunk | null {
    for (const [key, held] of this.#held.entries()) {
      if (held.partition !== partition || offset < held.from || offset >= held.next) continue;
      this.#held.get(key);
      const first = held.messages.findIndex((placed) => placed.offset >= offset);
      return { messages: first < 0 ? [] : held.messages.slice(first), next: held.next };
    }
    return null;
  }

  #hold(partition: number, from: number, chunk: Chunk): void {
    if (chunk.next <= from) return;
    const bytes = chunk.messages.reduce((sum, { message }) => sum + message.message.length, 0);
    // A size is one at least: a read past records that are not shown has no bytes.
    this.#held.set(`${partition}/${from}`, { ...chunk, partition, from }, { size: Math.max(bytes, 1) });
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
