import { expect, test } from 'vitest';
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
  ['of one message that exceeds the limit alone', ['x'.repeat(100), 'y'], 10, 10, `["${'x'.repeat(100)}"]`],
])('a batch is %s', async (_, texts, messages, bytes, body) => {
  expect(await bodyOf(texts, { messages, bytes })).toBe(body);
});

const NOW = 1_790_000_000;
const NONE = { max_age_seconds: null, max_delay_seconds: null };
const [AGE, DELAY] = [{ max_age_seconds: 5 }, { max_delay_seconds: 5 }];
const BOTH = { ...AGE, ...DELAY };
/** A message that was `delay` seconds old at its receipt, `age` seconds ago. */
const of = (delay: number, age: number) => ({ ut: NOW - age - delay, received_at: (NOW - age) * 1_000 });

test.each([
  ['of fresh content', BOTH, [of(5, 5)], null],
  ['received too long ago', AGE, [of(60, 6)], 'delivery=stale;reason=max_age;age=6'],
  ['old at its receipt', DELAY, [of(6, 60)], 'delivery=delayed;reason=max_delay;delay=6'],
  ['both', BOTH, [of(0, 99), of(7, 0), of(0, 0)], 'delivery=delayed;reason=max_delay;delay=7'],
  ['of a subscription without limits', {}, [of(600, 600)], null],
  ['ahead of our clock', BOTH, [of(-9, 0)], null],
])('a request %s is marked by the limits of its subscription', (_, limits, messages, mark) => {
  expect(latenessOf(messages, { ...NONE, ...limits }, NOW * 1_000)).toBe(mark);
});
