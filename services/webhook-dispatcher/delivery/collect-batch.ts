import type { WebhookMessage } from '#records/types.ts';
import type { MessageChunk } from './backlog-reader.ts';
import { type BatchLimits, MessageBatch } from './batch.ts';
import type { MessageAtOffset, MessageWindow } from './message-window.ts';

/** A batch, with the next offset of each partition after its delivery. */
export type CollectedBatch = {
  readonly batch: MessageBatch;
  readonly next: readonly number[];
  /** Whether the limit of reads ended it: there may be more messages now. */
  readonly isCut: boolean;
};

type CollectBatchOptions = {
  readonly window: MessageWindow;
  readonly limits: BatchLimits;
  /** The next offset to read, by partition. */
  readonly next: readonly number[];
  /** The partition that the batch begins with. */
  readonly turn: number;
  readonly wants: (message: WebhookMessage) => boolean;
  /** Reads messages older than the window; null ends the batch. */
  readonly read: (partition: number, offset: number) => Promise<MessageChunk | null>;
};

/** Maximum number of reads of the backlog for a batch; it is sent then, full or not. */
const MAX_READS = 16;

/** Collects the next batch of a subscription, in the order of each partition. Null when `read` returns null. */
export async function collectBatch(options: CollectBatchOptions): Promise<CollectedBatch | null> {
  const { window, limits, turn, wants, read } = options;
  const batch = new MessageBatch(limits);
  const next = [...options.next];
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
    if (reads >= MAX_READS) return { batch, next, isCut: true };
    const chunk = await read(behind, next[behind] ?? 0);
    if (chunk === null) return null;
    take(behind, chunk.messages, chunk.next);
  }
}
