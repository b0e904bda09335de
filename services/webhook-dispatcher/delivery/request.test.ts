import { describe, expect, test } from 'vitest';
import type { WebhookMessage } from '#records/types.ts';
import { type BatchLimits, collectBatch, latenessOf } from './request.ts';

/** Returns the body of the first batch of these texts. */
async function bodyOf(texts: readonly string[], limits: BatchLimits): Promise<string | undefined> {
  const messages = texts.map((text, offset) => ({
    offset,
    message: { message: Buffer.from(JSON.stringify(text)) } as WebhookMessage,
  }));
  const batch = await collectBatch({
    window: { latest: () => ({ messages, next: messages.length }) },
    limits,
    next: [0],
    firstPartition: 0,
    wants: () => true,
    isOutdated: () => false,
    readOlder: async () => null,
  });
  return batch?.body.toString();
}

test.each([
  ['the JSON array of its messages, byte for byte', ['a', 'ü', 'c'], 10, 100, '["a","ü","c"]'],
  ['of as many messages as may be', ['a', 'b', 'c'], 2, 100, '["a","b"]'],
  ['of as many bytes as may be', ['a', 'b', 'c'], 10, 9, '["a","b"]'],
  [
    'of one message that exceeds the limit of bytes alone',
    ['x'.repeat(100), 'y'],
    10,
    10,
    `["${'x'.repeat(100)}"]`,
  ],
])('a batch is %s', async (_, texts, messages, bytes, body) => {
  expect(await bodyOf(texts, { messages, bytes })).toBe(body);
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
