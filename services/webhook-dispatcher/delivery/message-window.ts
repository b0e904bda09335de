import { lowerBound } from '#domain/sorted.ts';
import type { WebhookMessage } from '#records/types.ts';

/** A message with its offset in webhook-messages. */
export type MessageAtOffset = {
  readonly offset: number;
  readonly message: WebhookMessage;
  /** The trace of the message. */
  readonly traceparent?: string | undefined;
};

type PartitionWindow = {
  /** Oldest first; those before `head` are dropped. */
  entries: MessageAtOffset[];
  head: number;
  /** Offset from which on the window has all messages. */
  start: number;
  /** Offset of the next message. */
  next: number;
};

/** Number of dropped entries at which a list is compacted. */
const COMPACT_AT = 1_024;

/**
 * The latest messages of all partitions, read once a process and shared by all subscriptions that are not behind. Beyond
 * a maximum of bytes it drops the oldest.
 */
export class MessageWindow {
  readonly #maxBytes: number;
  readonly #partitions: PartitionWindow[];
  /** The partition of each message, in order of arrival. */
  #order: number[] = [];
  #orderHead = 0;
  #bytes = 0;

  /** `ends`: the first offset to read, by partition. */
  constructor(ends: readonly number[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#partitions = ends.map((end) => ({ entries: [], head: 0, start: end, next: end }));
  }

  get partitions(): number {
    return this.#partitions.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the offset from which on the window has all messages of a partition. */
  startOf(partition: number): number {
    return this.#windowOf(partition).start;
  }

  /** Returns the offset of the next message of a partition. */
  nextOf(partition: number): number {
    return this.#windowOf(partition).next;
  }

  /** Adds messages, oldest first; `next` is the next offset to read. */
  add(partition: number, messages: readonly MessageAtOffset[], next: number): void {
    const window = this.#windowOf(partition);
    for (const entry of messages) {
      window.entries.push(entry);
      this.#order.push(partition);
      this.#bytes += entry.message.message.length;
    }
    window.next = next;
    while (this.#bytes > this.#maxBytes) this.#drop();
  }

  /** Drops the messages of a partition, and begins anew at an offset: messages before it were not read. */
  restart(partition: number, next: number): void {
    const window = this.#windowOf(partition);
    for (const { message } of window.entries.slice(window.head)) this.#bytes -= message.message.length;
    this.#order = this.#order.slice(this.#orderHead).filter((one) => one !== partition);
    this.#orderHead = 0;
    this.#partitions[partition] = { entries: [], head: 0, start: next, next };
  }

  /** Yields the messages of a partition at or after an offset, which must not be below its start. */
  *from(partition: number, offset: number): Generator<MessageAtOffset> {
    const { entries, head } = this.#windowOf(partition);
    const first = lowerBound(entries, (entry) => entry.offset < offset, head);
    for (let at = first; at < entries.length; at++) yield entries[at] as MessageAtOffset;
  }

  #drop(): void {
    const window = this.#windowOf(this.#order[this.#orderHead] as number);
    const { offset, message } = window.entries[window.head] as MessageAtOffset;
    window.head += 1;
    window.start = offset + 1;
    this.#bytes -= message.message.length;
    if (window.head >= COMPACT_AT && window.head * 2 >= window.entries.length) {
      window.entries = window.entries.slice(window.head);
      window.head = 0;
    }
    this.#orderHead += 1;
    if (this.#orderHead >= COMPACT_AT && this.#orderHead * 2 >= this.#order.length) {
      this.#order = this.#order.slice(this.#orderHead);
      this.#orderHead = 0;
    }
  }

  #windowOf(partition: number): PartitionWindow {
    const window = this.#partitions[partition];
    if (window === undefined) throw new RangeError(`unknown partition ${partition}`);
    return window;
  }
}
