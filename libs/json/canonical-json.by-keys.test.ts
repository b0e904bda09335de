import { describe, expect, test } from 'vitest';
import { ByKeys } from './canonical-json.ts';

/** Returns a cache that counts how often it computes a value. */
function counting(): { memory: ByKeys<string>; worked: () => number } {
  let times = 0;
  const memory = new ByKeys((keys) => {
    times++;
    return keys.join();
  });
  return { memory, worked: () => times };
}

describe('a value derived from keys', () => {
  test('is computed once for each order of the keys', () => {
    const { memory, worked } = counting();
    for (const value of [1, 2]) {
      expect(memory.of({ a: value, b: value })).toBe('a,b');
      expect(memory.of({ b: value, a: value })).toBe('b,a');
      expect(memory.of({ a: value })).toBe('a');
      expect(memory.of({})).toBe('');
    }
    expect(worked()).toBe(4);
  });

  test('is correct for any number of records, of which only some are cached', () => {
    const { memory, worked } = counting();
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 1000; n++) expect(memory.of({ [`key${n}`]: 1 })).toBe(`key${n}`);
    }
    expect(worked()).toBe(2 * 1000 - 8);
  });

  test.each([
    { keys: 100, length: 4, isCached: true },
    { keys: 101, length: 4, isCached: false },
    { keys: 1, length: 100, isCached: true },
    { keys: 2, length: 101, isCached: false },
  ])('of $keys keys of $length characters is cached: $isCached', ({ keys, length, isCached }) => {
    const { memory, worked } = counting();
    const names = Array.from({ length: keys }, (_, n) => String(n).padStart(length, 'k'));
    const record = Object.fromEntries(names.map((name) => [name, 0]));
    for (let n = 0; n < 2; n++) expect(memory.of(record)).toBe(names.join());
    expect(worked()).toBe(isCached ? 1 : 2);
  });
});
