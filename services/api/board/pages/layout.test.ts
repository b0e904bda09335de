import { expect, test } from 'vitest';
import { timeOf } from './layout.ts';

const NOW = 1_790_000_000;

test.each([
  ['of today', NOW - 60, '<time datetime="2026-09-21T14:12:20.000Z">14:12:20</time>'],
  ['of no calendar is its number', 2 ** 53 - 2, String(2 ** 53 - 2)],
])('a time of the provider’s %s', (_, ut, shown) => {
  expect(String(timeOf(ut, NOW))).toBe(shown);
});
