import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { machineClock, settlesWithin } from './clock.ts';
import { poll } from './poll.ts';
import { PromiseCache } from './promise-cache.ts';
import { backoffMs, jittered, randomBackoffMs, retry } from './retry.ts';

const never = new Promise<void>(() => {});
const TRANSIENT = { firstMs: 1, ceilingMs: 2, deadlineMs: 60_000, passes: () => true };

const BACKOFF = { firstMs: 100, ceilingMs: 1_000 };

test('backoffMs doubles the wait with each failure, up to the ceiling', () => {
  const waits = [1, 2, 5, 5_000].map((failures) => backoffMs(BACKOFF, failures));
  expect(waits).toEqual([100, 200, 1_000, 1_000]);
  expect(backoffMs({ firstMs: 2, ceilingMs: 50, factor: 1.5 }, 3)).toBe(4.5);
});

test('randomBackoffMs returns a wait from 0 to the backoff', () => {
  expect(randomBackoffMs({ ...BACKOFF, random: () => 0 }, 3)).toBe(0);
  expect(randomBackoffMs({ ...BACKOFF, random: () => 0.5 }, 1_000_000)).toBe(500);
});

test('jittered adds up to its share', () => {
  expect([0, 0.5, 1].map((chance) => Math.round(jittered(100, 0.2, chance)))).toEqual([80, 100, 120]);
});

test('machineClock.sleep resolves early when it is aborted, at once when it was, and leaves no listener', async () => {
  const long = new AbortController();
  const sleeping = machineClock.sleep(60_000, long.signal);
  long.abort();
  await sleeping;
  await machineClock.sleep(60_000, long.signal);
  const { signal } = new AbortController();
  await machineClock.sleep(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('retry', () => {
  test('retries after a retryable error, and returns the result', async () => {
    const attempt = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error('busy'))
      .mockResolvedValue(7);
    expect(await retry(attempt, TRANSIENT)).toBe(7);
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['at once with an error that is not retryable', { passes: () => false }],
    ['with the first attempt that begins after the deadline', { deadlineMs: -1 }],
  ])('rejects %s', async (_, options) => {
    const attempt = vi.fn<() => Promise<number>>().mockRejectedValue(new Error('busy'));
    await expect(retry(attempt, { ...TRANSIENT, ...options })).rejects.toThrow('busy');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});

test('poll returns the first result that is neither false nor undefined, and undefined after the timeout', async () => {
  const results = [undefined, false, 0] as const;
  let calls = 0;
  expect(await poll(() => results[calls++], { timeoutMs: 60_000, everyMs: 1 })).toBe(0);
  expect(await poll(() => false, { timeoutMs: 0, everyMs: 1 })).toBeUndefined();
});

test('settlesWithin tells whether the work resolves in time, and rejects as it does', async () => {
  expect(await settlesWithin(Promise.resolve(), 60_000)).toBe(true);
  expect(await settlesWithin(never, 1)).toBe(false);
  await expect(settlesWithin(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
});

test('requests once for concurrent callers, and again after a failure, a removal or the maximum age', async () => {
  const cache = new PromiseCache<number>();
  let requests = 0;
  const request = async () => ++requests;
  const concurrent = [cache.get('a', request), cache.get('a', request), cache.get('b', request)];
  expect(await Promise.all(concurrent)).toEqual([1, 1, 2]);
  cache.forget('a');
  expect([await cache.get('a', request), await cache.get('b', request)]).toEqual([3, 2]);
  cache.forget();
  await expect(cache.get('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await cache.get('b', request)).toBe(4);
  const ageless = new PromiseCache<number>(0);
  expect([await ageless.get('a', request), await ageless.get('a', request)]).toEqual([5, 6]);
});
