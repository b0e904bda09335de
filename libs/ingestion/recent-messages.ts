import type { IngressStatus } from '#records/types.ts';
import type { ReadDelivery } from './delivery.ts';

/** Numbers of messages that could be read, and that could not be read at all. */
export type MessageCounts = { readonly read: number; readonly unreadable: number };

const SECOND_MS = 1_000;
const WINDOW_SECONDS = 60;

/** Counts the messages of the last minute. Reads no clock; times are Unix milliseconds. */
export class RecentMessages {
  /** Counts by second, in order. */
  readonly #seconds = new Map<number, { read: number; unreadable: number }>();
  #inRow = 0;

  /** Adds messages whose order is unknown. A message that was read ends the row. */
  add({ read, unreadable }: MessageCounts, now: number): void {
    if (read + unreadable === 0) return;
    const second = Math.floor(now / SECOND_MS);
    const counts = this.#seconds.get(second) ?? { read: 0, unreadable: 0 };
    counts.read += read;
    counts.unreadable += unreadable;
    this.#seconds.set(second, counts);
    this.#inRow = read > 0 ? 0 : this.#inRow + unreadable;
  }

  counts(now: number): Pick<IngressStatus, 'messages_read' | 'messages_unreadable' | 'unreadable_in_row'> {
    const first = Math.floor(now / SECOND_MS) - WINDOW_SECONDS;
    for (const second of this.#seconds.keys()) if (second <= first) this.#seconds.delete(second);
    const sum = (of: keyof MessageCounts) => this.#seconds.values().reduce((all, one) => all + one[of], 0);
    return {
      messages_read: sum('read'),
      messages_unreadable: sum('unreadable'),
      unreadable_in_row: this.#inRow,
    };
  }
}

/** Returns the counts of a delivery. The mark of an unreadable message is no message; one of an unused type counts as neither. */
export function countsOf(delivery: Pick<ReadDelivery, 'normalized' | 'deadLetters'>): MessageCounts {
  const { normalized, deadLetters } = delivery;
  const read = normalized.filter(({ unreadable }) => unreadable === null).length;
  return { read, unreadable: deadLetters.length };
}
