import { StreamError } from '#streams/errors.ts';
import type { LogBounds, PartitionReader, StreamClient } from '#streams/port.ts';
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
  /** Of one read; one record batch at least is read, however large. */
  readonly maxBytes: number;
};

/** A slot: its connections are used by one read at a time. */
type Slot = Map<number, PartitionReader>;

/** Reads webhook-messages for subscriptions that are behind, so many at once and no more, whatever their number. */
export class BacklogReader {
  readonly #options: BacklogOptions;
  readonly #free: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];

  constructor(options: BacklogOptions) {
    this.#options = options;
    this.#free = Array.from({ length: options.concurrency }, () => new Map());
  }

  /**
   * Messages at or after an offset; none where a transaction is open there. Rejects with `ExpiredError`, with `StreamError`
   * where no broker answers for long.
   */
  async read(partition: number, offset: number): Promise<Chunk> {
    const slot = await this.#take();
    try {
      return await this.#readWith(slot, partition, offset);
    } finally {
      this.#give(slot);
    }
  }

  async #readWith(slot: Slot, partition: number, offset: number): Promise<Chunk> {
    const { client, topic, decoder, maxBytes } = this.#options;
    const reader = slot.get(partition) ?? client.openReader({ topic, partition, maxBytes });
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
