import { expect, test } from 'vitest';
import { AnswerCache } from './lists.ts';

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
