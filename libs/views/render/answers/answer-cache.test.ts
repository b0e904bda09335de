import { expect, test } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

const text = (data: string) => () => ({ data, total: 1 });

test('returns the same bytes for the same version', () => {
  const cache = new AnswerCache(100);
  const first = cache.get('a', '1', text('x'));
  expect(cache.get('a', '1', text('y'))).toBe(first);
  expect(String(cache.get('a', '2', text('y')).data)).toBe('y');
  cache.drop('a');
  expect(String(cache.get('a', '2', text('z')).data)).toBe('z');
});

test('stays within its limit by evicting the least recently used answer', () => {
  const cache = new AnswerCache(10);
  const wide = 'x'.repeat(4);
  const kept = cache.get('a', '1', text(wide));
  cache.get('b', '1', text(wide));
  cache.get('a', '1', text('never'));
  cache.get('c', '1', text(wide));
  expect(cache.get('a', '1', text('never'))).toBe(kept);
  expect(String(cache.get('b', '1', text('anew')).data)).toBe('anew');
});

test('does not cache an answer larger than its limit', () => {
  const cache = new AnswerCache(3);
  cache.get('a', '1', text('long'));
  expect(String(cache.get('a', '1', text('new')).data)).toBe('new');
});

/** Returns the keys whose answers are cached; renders the others. */
function keptOf(cache: AnswerCache, keys: readonly string[]): string[] {
  return keys.filter((key) => String(cache.get(key, '1', text('!')).data) !== '!');
}

test('caches as many bytes as its limit', () => {
  const cache = new AnswerCache(10);
  for (const key of ['a', 'b']) cache.get(key, '1', text('x'.repeat(5)));
  expect(keptOf(cache, ['a', 'b'])).toEqual(['a', 'b']);
  cache.get('whole', '1', text('x'.repeat(10)));
  expect(keptOf(cache, ['whole'])).toEqual(['whole']);
});

test('does not count replaced or dropped answers', () => {
  const cache = new AnswerCache(10);
  for (const version of ['3', '2', '1']) cache.get('a', version, text('x'.repeat(5)));
  cache.get('b', '1', text('x'.repeat(5)));
  cache.drop('unknown');
  expect(keptOf(cache, ['a', 'b'])).toEqual(['a', 'b']);
  cache.drop('a');
  cache.get('c', '1', text('x'.repeat(5)));
  expect(keptOf(cache, ['b', 'c'])).toEqual(['b', 'c']);
});

test('evicts nothing for an answer that is too large', () => {
  const cache = new AnswerCache(10);
  cache.get('a', '1', text('x'.repeat(10)));
  cache.get('large', '1', text('x'.repeat(11)));
  expect(keptOf(cache, ['a'])).toEqual(['a']);
});
