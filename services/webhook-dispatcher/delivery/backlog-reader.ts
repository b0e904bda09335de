import type { LogBounds, PartitionReader, StreamClient } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Decoder } from '#topics/codec.ts';
import type { WebhookMessage } from '#topics/generated/types.ts';
import type { PlacedMessage } from './message-window.ts';

/** A piece of a partition's log. */
export type Chunk = {
  readonly messages: readonly PlacedMessage[];
  /** Where to read on. */
  readonly next: number;
};

/** An offset is not in the log any more: it goes on at `start`. */
export class ExpiredError extends Error {
  override readonly name = 'ExpiredError';
  readonly code = 'MESSAGES_EXPIRED';
  readonly start: number;

  constructor({ start }: LogBounds, cause: unknown) {
    super(`messages before offset ${start} have expired`, { cause });
    this.start = start;
  }
}

export type BacklogOptions = {
  readonly client: StreamClient;
  /** Name of webhook-messages on the broker. */
  readonly topic: string;
  readonly decoder: Decoder<WebhookMessage>;
  /** Reads at once; others wait for their turn, first come first served. */
  readonly concurrency: number;
  /** Of what was read, for others that are as far behind, bytes of messages. */
  readonly cacheBytes: number;
};

/** Of one read; one record batch at least is read, however large. */
const READ_BYTES = 512 * 1024;

/** What was read from an offset on. */
type Held = Chunk & { readonly partition: number; readonly from: number; readonly bytes: number };

/** A slot: its connections are used by one read at a time. */
type Slot = Map<number, PartitionReader>;

/**
 * Reads webhook-messages for subscriptions that are behind, so many at once and no more, whatever their number. What was
 * read last is held, and read once for all that ask for it.
 */
export class BacklogReader {
  readonly #options: BacklogOptions;
  readonly #free: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  /** By partition and offset; those used last at the end. */
  readonly #held = new Map<string, Held>();
  readonly #reading = new Map<string, Promise<Chunk>>();
  #heldBytes = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#free = Array.from({ length: options.concurrency }, () => new Map());
  }

  /**
   * Messages at or after an offset; none where a transaction is open there. Rejects with `ExpiredError`, with `StreamError`
   * where no broker answers for long.
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
    const slot = await this.#take();
    try {
      const chunk = await this.#readWith(slot, partition, offset);
      this.#hold(partition, offset, chunk);
      return chunk;
    } finally {
      this.#give(slot);
    }
  }

  async #readWith(slot: Slot, partition: number, offset: number): Promise<Chunk> {
    const { client, topic, decoder } = this.#options;
    const reader = slot.get(partition) ?? client.openReader({ topic, partition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(offset);
      const messages: PlacedMessage[] = [];
      for (const { offset: at, value } of records)
        if (value !== null) messages.push({ offset: at, message: await decoder.decode(value) });
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
    for (const [key, held] of this.#held) {
      if (held.partition !== partition || offset < held.from || offset >= held.next) continue;
      this.#held.delete(key);
      this.#held.set(key, held);
      const first = held.messages.findIndex((placed) => placed.offset >= offset);
      return { messages: first < 0 ? [] : held.messages.slice(first), next: held.next };
    }
    return null;
  }

  #hold(partition: number, from: number, chunk: Chunk): void {
    if (chunk.next <= from) return;
    const bytes = chunk.messages.reduce((sum, { message }) => sum + message.message.length, 0);
    this.#held.set(`${partition}/${from}`, { ...chunk, partition, from, bytes });
    this.#heldBytes += bytes;
    for (const [key, oldest] of this.#held) {
      if (this.#heldBytes <= this.#options.cacheBytes) return;
      this.#held.delete(key);
      this.#heldBytes -= oldest.bytes;
    }
  }

  #take(): Promise<Slot> {
    const slot = this.#free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #give(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }
}
