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

export type MessageBacklog = ReturnType<typeof openBacklog>;

/** Opens the messages older than the latest, by shared and limited reads of the log. */
export function openBacklog({ source, client, partitions, cacheBytes, concurrentReads }: BacklogOptions) {
  const topic = topicName(source.prefix, TOPIC);
  const freeSlots: ReaderSlot[] = Array.from({ length: concurrentReads }, () => new Map());
  const waiting: ((slot: ReaderSlot) => void)[] = [];
  const cache = new LRUCache<string, BacklogRead>({ maxSize: cacheBytes });
  const pending = new PromiseCache<BacklogRead>();

  const findCached = (partition: number, offset: number): MessageChunk | undefined => {
    for (const [key, read] of cache.entries()) {
      if (read.partition !== partition || offset < read.from || offset >= read.next) continue;
      // Marks it as used.
      cache.get(key);
      return { messages: read.messages.filter((message) => message.offset >= offset), next: read.next };
    }
    return undefined;
  };
  const readWith = async (slot: ReaderSlot, partition: number, from: number): Promise<BacklogRead> => {
    const reader = slot.get(partition) ?? client.openReader({ topic, partition, maxBytes: READ_BYTES });
    slot.set(partition, reader);
    try {
      const { records, next } = await reader.read(from);
      const decoder = source.registry.decoder(TOPIC);
      const values = await decodeRecords(decoder, { topic, partition }, records, undefined, { partitions });
      const messages = messagesOf(values.map(({ record, value }) => ({ ...record, value })));
      return { partition, from, messages, next };
    } catch (error) {
      slot.delete(partition);
      await reader.close();
      if (!(error instanceof StreamError) || error.code !== 'OFFSET_OUT_OF_RANGE') throw error;
      const [bounds] = await client.logBounds([{ topic, partition }]);
      throw new ExpiredError(bounds as LogBounds, error);
    }
  };
  const readNow = async (key: string, partition: number, from: number): Promise<BacklogRead> => {
    const slot = freeSlots.pop() ?? (await new Promise<ReaderSlot>((resolve) => waiting.push(resolve)));
    try {
      const read = await readWith(slot, partition, from);
      const bytes = read.messages.reduce((sum, { message }) => sum + message.message.length, 0);
      // The cache requires a positive size, and a read without messages has no bytes.
      if (read.next > from) cache.set(key, read, { size: Math.max(bytes, 1) });
      return read;
    } finally {
      pending.forget(key);
      const next = waiting.shift();
      if (next === undefined) freeSlots.push(slot);
      else next(slot);
    }
  };
  return {
    /** Reads messages; none at an open transaction. Rejects with `ExpiredError`, and `StreamError`. */
    async read(partition: number, offset: number): Promise<MessageChunk> {
      const key = `${partition}/${offset}`;
      return findCached(partition, offset) ?? pending.get(key, () => readNow(key, partition, offset));
    },
  };
}
