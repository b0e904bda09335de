import { LRUCache } from 'lru-cache';
import { offsetsAt } from '#cluster/logs.ts';
import { defineError } from '#errors/touchline-error.ts';
import {
  type LogBounds,
  type PartitionReader,
  partitionKey,
  partitionsUpTo,
  type StreamClient,
  type TopicPartition,
} from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { decodeRecords, follow, type TopicRecord, type TopicSource } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import { type MessageAtOffset, type MessageChunk, MessageWindow } from './message-window.ts';
import type { Subscription } from './subscriptions.ts';

/** Thrown when an offset is no longer in the log, which begins at `start`. */
export class ExpiredError extends defineError('ExpiredError') {
  readonly start: number;

  constructor({ start }: LogBounds, cause: unknown) {
    super('MESSAGES_EXPIRED', `messages before offset ${start} have expired`, cause);
    this.start = start;
  }
}

type MessageReaderOptions = {
  readonly source: TopicSource;
  readonly client: StreamClient;
  /** Name of the reader in the broker's logs. */
  readonly reader: string;
  /** Maximum bytes of the latest messages in memory. The cache of reads of older ones has half as many. */
  readonly windowBytes: number;
  /** Maximum number of concurrent reads of older messages; others wait in the order of their requests. */
  readonly backlogReads: number;
};

/** Limit of one read of older messages, bytes; at least one record batch is read, however large. */
const READ_BYTES = 512 * 1024;

const TOPIC = 'webhook-messages';

/** Minimum interval between reads of the latest messages, milliseconds: what arrives meanwhile costs a subscription one request. */
const PACE_MS = 10;
/** The same while no subscription waits for messages. */
const IDLE_PACE_MS = 1_000;

type BacklogRead = {
  readonly partition: number;
  readonly from: number;
  readonly messages: readonly MessageAtOffset[];
  readonly next: number;
};

type ReaderSlot = Map<number, PartitionReader>;

/** webhook-messages for all subscriptions of a process: the latest in memory, older ones by shared and limited reads of the log. */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  /** Its name on the broker. */
  readonly #topic: string;
  readonly #partitions: readonly TopicPartition[];
  /** The latest messages, in memory. */
  readonly window: MessageWindow;
  readonly #freeSlots: ReaderSlot[];
  readonly #waiting: ((slot: ReaderSlot) => void)[] = [];
  /** By partition and offset. */
  readonly #cache: LRUCache<string, BacklogRead>;
  readonly #pending = new Map<string, Promise<BacklogRead>>();

  private constructor(
    options: MessageReaderOptions,
    topic: string,
    partitions: readonly TopicPartition[],
    bounds: readonly LogBounds[],
  ) {
    this.#options = options;
    this.#topic = topic;
    this.#partitions = partitions;
    this.window = new MessageWindow(
      bounds.map(({ end }) => end),
      options.windowBytes,
    );
    this.#freeSlots = Array.from({ length: options.backlogReads }, () => new Map());
    this.#cache = new LRUCache({ maxSize: options.windowBytes / 2 });
  }

  /** Reads the bounds of the topic. Rejects with `StreamError`. */
  static async open(options: MessageReaderOptions): Promise<MessageReader> {
    const { client, source } = options;
    const topic = topicName(source.prefix, TOPIC);
    const partitions = partitionsUpTo(topic, await client.partitionCount(topic));
    return new MessageReader(options, topic, partitions, await client.logBounds(partitions));
  }

  get partitions(): number {
    return this.#partitions.length;
  }

  /** Returns the current bounds of each partition. Rejects with `StreamError`. */
  bounds(): Promise<readonly LogBounds[]> {
    return this.#options.client.logBounds(this.#partitions);
  }

  /** Returns the offsets, by partition, at which a new subscription starts: those at the time of its creation. */
  async startOf({ createdAt }: Pick<Subscription, 'createdAt'>): Promise<number[]> {
    const { brokers } = this.#options.source;
    const found = await offsetsAt({ brokers, topic: this.#topic, time: createdAt });
    return this.#partitions.map((topicPartition) => found.get(partitionKey(topicPartition)) ?? 0);
  }

  /** Reads the latest messages until `signal`, and passes them on. `isIdle`: no subscription waits for them. Rejects as `follow`. */
  async follow(
    signal: AbortSignal,
    onMessages: (messages: readonly MessageAtOffset[]) => void,
    isIdle: () => boolean,
  ): Promise<void> {
    const { source, reader } = this.#options;
    await follow([TOPIC], source, {
      reader,
      paceMs: () => (isIdle() ? IDLE_PACE_MS : PACE_MS),
      from: new Map(
        this.#partitions.map((topicPartition) => [
          partitionKey(topicPartition),
          this.window.endOf(topicPartition.partition),
        ]),
      ),
      signal,
      onBatch: ({ records, partitions }) => {
        const latest = partitions.flatMap(({ partition, next }) => {
          const messages = messagesOf(records.filter((record) => record.partition === partition));
          this.window.add(partition, messages, next);
          return messages;
        });
        onMessages(latest);
      },
      // Each subscription that has not passed them reads there, and records its loss.
      onExpired: ({ partition, next }) => this.window.restart(partition, next),
    });
  }

  /** Reads older messages from the log; none at an open transaction. Rejects with `ExpiredError`, and `StreamError`. */
  async readOlder(partition: number, offset: number): Promise<MessageChunk> {
    const cached = this.#findCached(partition, offset);
    if (cached !== undefined) return cached;
    const key = `${partition}/${offset}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const reading = this.#readNow(partition, offset).finally(() => this.#pending.delete(key));
    this.#pending.set(key, reading);
    return reading;
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
    const { client, source } = this.#options;
    const topicPartition = { topic: this.#topic, partition };
    const reader = slot.get(partition) ?? client.openReader({ ...topicPartition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(from);
      const place = { partitions: this.#partitions.length };
      const values = await decodeRecords(
        source.registry.decoder(TOPIC),
        topicPartition,
        records,
        undefined,
        place,
      );
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
      // Marks it as used.
      this.#cache.get(key);
      return { messages: read.messages.filter((message) => message.offset >= offset), next: read.next };
    }
    return undefined;
  }
}

type DecodedMessage = Pick<TopicRecord<typeof TOPIC>, 'offset' | 'value' | 'traceparent'>;

function messagesOf(records: readonly DecodedMessage[]): MessageAtOffset[] {
  return records.flatMap(({ value: message, offset, traceparent }) =>
    message === null ? [] : [{ offset, message, traceparent }],
  );
}
