import { expect, test } from 'vitest';
import { retryAfterMs } from './endpoint.ts';

test.each([
  ['0', 0],
  ['120', 120_000],
  ['9999999999', 9_999_999_999_000],
  ['Thu, 11 Jun 2026 18:02:00 GMT', 120_000],
  ['Thu, 11 Jun 2026 17:00:00 GMT', 0],
  ['', null],
  ['soon', null],
  ['99999999999', null],
  ['Thu, 99 Jun 2026 18:02:00 GMT', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After %j is a wait of %s ms', (header, wait) => {
  expect(retryAfterMs(header, Date.UTC(2026, 5, 11, 18, 0, 0))).toBe(wait);
});
