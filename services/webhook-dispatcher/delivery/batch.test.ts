import { describe, expect, test } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { MessageBatch } from './batch.ts';

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
