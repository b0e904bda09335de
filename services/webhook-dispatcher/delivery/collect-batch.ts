import type { WebhookMessage } from '#topics/generated/types.ts';
import type { Chunk } from './backlog-reader.ts';
import { type BatchLimits, MessageBatch } from './batch.ts';
import type { MessageAtOffset, MessageWindow } from './message-window.ts';

/** A batch, and how far its partitions are once it is delivered. */
export type Collected = {
  readonly batch: MessageBatch;
  readonly next: readonly number[];
  /** It ended before the log did: there may be more at once. */
  readonly isCut: boolean;
};

export type Collecting = {
  readonly window: MessageWindow;
  readonly limits: BatchLimits;
  /** Where each partition is read on. */
  readonly next: readonly number[];
  /** The partition that the batch begins with. */
  readonly turn: number;
  readonly wants: (message: WebhookMessage) => boolean;
  /** Reads messages older than the window; null ends the batch. */
  readonly read: (partition: number, offset: number) => Promise<Chunk | null>;
};

/** Most reads of the backlog for a batch; it is sent then, full or not. */
const READS_OF_A_BATCH = 16;

/** Collects the next batch of a subscription, in the order of each partition; null where `read` has ended it. */
export async function collectBatch(from: Collecting): Promise<Collected | null> {
  const { window, limits, turn, wants, read } = from;
  const batch = new MessageBatch(limits);
  const next = [...from.next];
  let isFull = false;
  const take = (partition: number, messages: Iterable<MessageAtOffset>, end: number): void => {
    for (const { offset, message, traceparent } of messages) {
      isFull = wants(message) && !batch.add(message, traceparent);
      if (isFull) return;
      next[partition] = offset + 1;
    }
    next[partition] = Math.max(end, next[partition] ?? 0);
  };
  for (let reads = 0; ; reads++) {
    let behind: number | null = null;
    for (let step = 0; step < next.length && !isFull; step++) {
      const partition = (turn + step) % next.length;
      const at = next[partition] ?? 0;
      if (at < window.startOf(partition)) behind ??= partition;
      else take(partition, window.from(partition, at), window.nextOf(partition));
    }
    if (isFull || behind === null) return { batch, next, isCut: false };
    if (reads >= READS_OF_A_BATCH) return { batch, next, isCut: true };
    const chunk = await read(behind, next[behind] ?? 0);
    if (chunk === null) return null;
    take(behind, chunk.messages, chunk.next);
  }
}
