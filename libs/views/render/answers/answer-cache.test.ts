import { expect, test } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

const text = (data: string) => () => ({ data, total: 1 });

test('gives the same bytes while the version is the same', () => {
  const cache = new AnswerCache(100);
  const first = cache.get('a', '1', text('x'));
  expect(cache.get('a', '1', text('y'))).toBe(first);
  expect(String(cache.get('a', '2', text('y')).data)).toBe('y');
  cache.drop('a');
  expect(String(cache.get('a', '2', text('z')).data)).toBe('z');
});

test('holds no more than it may, and lets go of what was not asked for the longest', () => {
  const cache = new AnswerCache(10);
  const wide = 'x'.repeat(4);
  const kept = cache.get('a', '1', text(wide));
  cache.get('b', '1', text(wide));
  cache.get('a', '1', text('never'));
  cache.get('c', '1', text(wide));
  expect(cache.get('a', '1', text('never'))).toBe(kept);
  expect(String(cache.get('b', '1', text('anew')).data)).toBe('anew');
});

test('does not keep what is too large by itself, nor anything for it', () => {
  const cache = new AnswerCache(3);
  cache.get('a', '1', text('long'));
  expect(String(cache.get('a', '1', text('new')).data)).toBe('new');
});
