import { expect, test } from 'vitest';
import { GUARD_REASONS } from './guard.ts';
import { GUARD_WORDS } from './guard-words.ts';

test('each reason of a guard has words of its own, as a part of a sentence', () => {
  const words = Object.values(GUARD_WORDS);
  expect(Object.keys(GUARD_WORDS)).toEqual(Object.keys(GUARD_REASONS));
  expect(new Set(words).size).toBe(words.length);
  for (const text of words) expect(text).toMatch(/^[a-z][^.!]{8,50}$/);
});
