import { expect, test } from 'vitest';
import { timeOf } from './layout.ts';

const NOW = 1_790_000_000;

test.each([
  ['today', NOW - 60, '<time datetime="2026-09-21T14:12:20.000Z">14:12:20</time>'],
  ['outside the calendar as its number', 2 ** 53 - 2, String(2 ** 53 - 2)],
])('renders a time of the provider that is %s', (_, ut, shown) => {
  expect(String(timeOf(ut, NOW))).toBe(shown);
});
