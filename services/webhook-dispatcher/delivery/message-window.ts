import { lowerBound } from '#domain/sorted.ts';
import type { WebhookMessage } from '#records/types.ts';

/** A message with its offset in webhook-messages. */
export type MessageAtOffset = {
  readonly offset: number;
  readonly message: WebhookMessage;
  readonly traceparent?: string | undefined;
};

/** Consecutive messages of a partition. */
export type MessageChunk = {
  readonly messages: Iterable<MessageAtOffset>;
  readonly next: number;
};

type PartitionWindow = {
  /** Oldest first; those before `head` are dropped. `arrival` counts the messages of all partitions. */
  entries: (MessageAtOffset & { readonly arrival: number })[];
  head: number;
  /** Offset from which on the window has all messages. */
  start: number;
  /** Offset of the next message. */
  end: number;
  /** Offset of the newest state of each match in it, by event id. */
  readonly newest: Map<number, number>;
};

/** Type of the messages with the state of a match; those of other types are facts of their own. */
const STATE = 'event';

/** Number of dropped entries at which a list is compacted. */
const COMPACT_AT = 1_024;

/** The latest messages of all partitions. Beyond a maximum of bytes it drops the oldest. */
export class MessageWindow {
  readonly #maxBytes: number;
  readonly #partitions: PartitionWindow[];
  #arrivals = 0;
  #bytes = 0;

  /** `ends`: the first offset to read, by partition. */
  constructor(ends: readonly number[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#partitions = ends.map(emptyFrom);
  }

  get bytes(): number {
    return this.#bytes;
  }

  endOf(partition: number): number {
    return this.#windowOf(partition).end;
  }

  /** Adds messages, oldest first; `next` is the next offset to read. */
  add(partition: number, messages: readonly MessageAtOffset[], next: number): void {
    const window = this.#windowOf(partition);
    for (const { message, ...at } of messages) {
      // Copies the bytes: a view would keep all bytes that were fetched with it.
      const kept = { ...message, message: Buffer.from(message.message) };
      window.entries.push({ ...at, message: kept, arrival: this.#arrivals++ });
      this.#bytes += kept.message.length;
      if (message.type === STATE) window.newest.set(message.event_id, at.offset);
    }
    window.end = next;
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
  }

  /** Drops the messages of a partition, and begins anew at an offset: messages before it were not read. */
  restart(partition: number, next: number): void {
    const { entries, head } = this.#windowOf(partition);
    for (const { message } of entries.slice(head)) this.#bytes -= message.message.length;
    this.#partitions[partition] = emptyFrom(next);
  }

  /** Returns the messages of a partition at or after an offset; null if the window has not all of them. */
  latest(partition: number, offset: number): MessageChunk | null {
    const { entries, head, start, end } = this.#windowOf(partition);
    if (offset < start) return null;
    const first = lowerBound(entries, (entry) => entry.offset < offset, head);
    return { messages: itemsFrom(entries, first), next: end };
  }

  /** Whether a message of a partition is a state, and a newer one of its match has arrived. */
  isOutdated(partition: number, { offset, message: { type, event_id } }: MessageAtOffset): boolean {
    return type === STATE && (this.#windowOf(partition).newest.get(event_id) ?? offset) > offset;
  }

  /** Drops the message that arrived first, of all partitions. */
  #dropOldest(): void {
    const arrivalOf = ({ entries, head }: PartitionWindow): number => entries[head]?.arrival ?? Infinity;
    const window = this.#partitions.reduce((one, other) => (arrivalOf(other) < arrivalOf(one) ? other : one));
    const { offset, message } = window.entries[window.head] as MessageAtOffset;
    window.head += 1;
    window.start = offset + 1;
    this.#bytes -= message.message.length;
    if (window.newest.get(message.event_id) === offset) window.newest.delete(message.event_id);
    if (window.head < COMPACT_AT || window.head * 2 < window.entries.length) return;
    window.entries = window.entries.slice(window.head);
    window.head = 0;
  }

  #windowOf(partition: number): PartitionWindow {
    const window = this.#partitions[partition];
    if (window === undefined) throw new RangeError(`unknown partition ${partition}`);
    return window;
  }
}

function emptyFrom(offset: number): PartitionWindow {
  return { entries: [], head: 0, start: offset, end: offset, newest: new Map() };
}

function* itemsFrom<T>(items: readonly T[], first: number): Generator<T> {
  for (let at = first; at < items.length; at++) yield items[at] as T;
}
