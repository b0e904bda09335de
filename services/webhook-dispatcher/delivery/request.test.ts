import { describe, expect, test } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { latenessOf, MessageBatch } from './request.ts';

const message = (text: string) => ({ message: Buffer.from(JSON.stringify(text)) }) as WebhookMessage;

describe('a batch', () => {
  test('is the JSON array of its messages, byte for byte', () => {
    const batch = new MessageBatch({ messages: 10, bytes: 100 });
    for (const text of ['a', 'ü', 'c']) expect(batch.add(message(text))).toBe(true);
    expect(batch.takeBody().toString()).toBe('["a","ü","c"]');
    expect(batch.bytes).toBe('["a","ü","c"]'.length + 1);
  });

  test('has as many messages as its limits of number and bytes allow', () => {
    const few = new MessageBatch({ messages: 2, bytes: 100 });
    expect(['a', 'b', 'c'].map((text) => few.add(message(text)))).toEqual([true, true, false]);
    const small = new MessageBatch({ messages: 10, bytes: 9 });
    expect(['a', 'b', 'c'].map((text) => small.add(message(text)))).toEqual([true, true, false]);
    expect(small.bytes).toBe(9);
  });

  test('has only one message if that exceeds the limit of bytes', () => {
    const batch = new MessageBatch({ messages: 10, bytes: 10 });
    expect(batch.add(message('x'.repeat(100)))).toBe(true);
    expect(batch.add(message('y'))).toBe(false);
  });
});

const T = 1_790_000_000;

describe('a request', () => {
  test.each([
    ['of fresh content', { max_age_seconds: 5, max_delay_seconds: 5 }, [{ delay: 5, age: 5 }], null],
    [
      'received too long ago',
      { max_age_seconds: 5 },
      [{ delay: 60, age: 6 }],
      'delivery=stale;reason=max_age;age=6',
    ],
    [
      'old at its receipt',
      { max_delay_seconds: 5 },
      [{ delay: 6, age: 60 }],
      'delivery=delayed;reason=max_delay;delay=6',
    ],
    [
      'both',
      { max_age_seconds: 5, max_delay_seconds: 5 },
      [
        { delay: 0, age: 99 },
        { delay: 7, age: 0 },
        { delay: 0, age: 0 },
      ],
      'delivery=delayed;reason=max_delay;delay=7',
    ],
    ['of a subscription without limits', {}, [{ delay: 600, age: 600 }], null],
    ['ahead of our clock', { max_age_seconds: 5, max_delay_seconds: 5 }, [{ delay: -9, age: 0 }], null],
  ])('%s is marked by the limits of its subscription', (_, limits, content, mark) => {
    const now = (T + 1_000) * 1_000;
    const messages = content.map(({ delay, age }) => ({
      ut: T + 1_000 - age - delay,
      received_at: now - age * 1_000,
    }));
    expect(latenessOf(messages, { max_age_seconds: null, max_delay_seconds: null, ...limits }, now)).toBe(
      mark,
    );
  });
});
