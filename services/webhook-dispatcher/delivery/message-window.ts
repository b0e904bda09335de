import { lowerBound } from '#domain/sorted.ts';
import type { WebhookMessage } from '#topics/generated/types.ts';

/** A message with its offset in webhook-messages. */
export type MessageAtOffset = {
  readonly offset: number;
  readonly message: WebhookMessage;
  /** The trace that it belongs to. */
  readonly traceparent?: string | undefined;
};

type Part = {
  /** Oldest first; those before `head` are dropped. */
  entries: MessageAtOffset[];
  head: number;
  /** Every message read from here on is held. */
  start: number;
  /** Offset of the next message. */
  next: number;
};

/** Dropped entries before the list is compacted. */
const COMPACT_AT = 1_024;

/**
 * The latest messages of all partitions, read once a process and shared by all subscriptions that are not behind. Bounded
 * in bytes: the oldest are dropped first.
 */
export class MessageWindow {
  readonly #maxBytes: number;
  readonly #parts: readonly Part[];
  /** The partition of each held message, in order of arrival. */
  #order: number[] = [];
  #orderHead = 0;
  #bytes = 0;

  /** `ends`: the first offset to read, by partition. */
  constructor(ends: readonly number[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#parts = ends.map((end) => ({ entries: [], head: 0, start: end, next: end }));
  }

  get partitions(): number {
    return this.#parts.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Offset from which on every message read is held. */
  startOf(partition: number): number {
    return this.#part(partition).start;
  }

  /** Offset of the next message that will be read. */
  nextOf(partition: number): number {
    return this.#part(partition).next;
  }

  /** Adds messages, oldest first; `next` is the next offset to read. */
  add(partition: number, messages: readonly MessageAtOffset[], next: number): void {
    const part = this.#part(partition);
    for (const placed of messages) {
      part.entries.push(placed);
      this.#order.push(partition);
      this.#bytes += placed.message.message.length;
    }
    part.next = next;
    while (this.#bytes > this.#maxBytes) this.#drop();
  }

  /** The held messages of a partition at or after an offset, which must not be below its start. */
  *from(partition: number, offset: number): Generator<MessageAtOffset> {
    const { entries, head } = this.#part(partition);
    const first = lowerBound(entries, (placed) => placed.offset < offset, head);
    for (let at = first; at < entries.length; at++) yield entries[at] as MessageAtOffset;
  }

  #drop(): void {
    const part = this.#part(this.#order[this.#orderHead] as number);
    const { offset, message } = part.entries[part.head] as MessageAtOffset;
    part.head += 1;
    part.start = offset + 1;
    this.#bytes -= message.message.length;
    if (part.head >= COMPACT_AT && part.head * 2 >= part.entries.length) {
      part.entries = part.entries.slice(part.head);
      part.head = 0;
    }
    this.#orderHead += 1;
    if (this.#orderHead >= COMPACT_AT && this.#orderHead * 2 >= this.#order.length) {
      this.#order = this.#order.slice(this.#orderHead);
      this.#orderHead = 0;
    }
  }

  #part(partition: number): Part {
    const part = this.#parts[partition];
    if (part === undefined) throw new RangeError(`there is no partition ${partition}`);
    return part;
  }
}
