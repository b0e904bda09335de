import { describe, expect, test } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { MessageWindow } from './message-reader.ts';

const BYTES = 10;

const of = (offset: number, event_id = offset, type = 'event') => {
  return { offset, message: { event_id, type, message: Buffer.alloc(BYTES) } as WebhookMessage };
};
const messagesAt = (...offsets: number[]) => offsets.map((offset) => of(offset));

/** Returns the offsets of the messages from an offset on; null if it has not all of them. */
function offsetsFrom(window: MessageWindow, partition: number, from: number): number[] | null {
  const latest = window.latest(partition, from);
  return latest && Array.from(latest.messages, ({ offset }) => offset);
}

/** Returns the offset from which on the window has all messages of a partition. */
function startOf(window: MessageWindow, partition: number): number {
  let offset = 0;
  while (window.latest(partition, offset) === null) offset += 1;
  return offset;
}

describe('the window', () => {
  test('returns the messages from an offset on, even if the log skips offsets', () => {
    const window = new MessageWindow([5, 0], 1_000);
    window.add(0, messagesAt(5, 7, 10), 12);
    expect(offsetsFrom(window, 0, 5)).toEqual([5, 7, 10]);
    expect(offsetsFrom(window, 0, 8)).toEqual([10]);
    expect(offsetsFrom(window, 0, 11)).toEqual([]);
    expect([startOf(window, 0), window.endOf(0), window.endOf(1)]).toEqual([5, 12, 0]);
  });

  test('drops the oldest messages of a partition beyond its share, and moves its start', () => {
    const window = new MessageWindow([0, 0], 6 * BYTES);
    window.add(0, messagesAt(0, 1), 2);
    window.add(1, messagesAt(0, 1, 2, 3, 4), 5);
    expect(window.bytes).toBe(5 * BYTES);
    expect([startOf(window, 0), startOf(window, 1)]).toEqual([0, 2]);
    expect([offsetsFrom(window, 0, 1), offsetsFrom(window, 1, 2)]).toEqual([[1], [2, 3, 4]]);
  });

  test('has no messages before a gap: who is behind it reads from the log, and learns what expired', () => {
    const window = new MessageWindow([0, 0], 6 * BYTES);
    window.add(0, messagesAt(0, 1), 2);
    window.add(1, messagesAt(0), 1);
    window.restart(0, 9);
    expect([window.bytes, startOf(window, 0), window.endOf(0)]).toEqual([BYTES, 9, 9]);
    window.add(0, messagesAt(9, 10), 11);
    expect(offsetsFrom(window, 0, 9)).toEqual([9, 10]);
  });

  test('finds a state outdated while it has a newer one of the same match', () => {
    const window = new MessageWindow([0], 3 * BYTES);

    const [first, other, goal, second] = [of(0, 7), of(1, 8), of(2, 7, 'incident'), of(3, 7)];
    window.add(0, [first, other, goal], 3);
    expect(window.isOutdated(0, first), 'by no incident').toBe(false);
    window.add(0, [second], 4);
    const outdated = [first, other, goal, second].map((one) => window.isOutdated(0, one));
    expect(outdated).toEqual([true, false, false, false]);
    window.add(0, [of(4, 9), of(5, 9), of(6, 9)], 7);
    expect(window.isOutdated(0, first), 'the newer one was dropped').toBe(false);
  });

  test('drops a message that is larger than the window, and moves its start past it', () => {
    const window = new MessageWindow([0], BYTES - 1);
    window.add(0, messagesAt(0), 1);
    expect([window.bytes, startOf(window, 0), window.endOf(0)]).toEqual([0, 1, 1]);
  });
});
