import { expect, test } from 'vitest';
import { PromiseCache } from './promise-cache.ts';

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
