import { describe, expect, test } from 'vitest';
import { retryAfterMs } from './endpoint.ts';

const NOW = Date.UTC(2026, 5, 11, 18, 0, 0);

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    ['9999999999', 9_999_999_999_000],
    ['Thu, 11 Jun 2026 18:02:00 GMT', 120_000],
    ['Thu, 11 Jun 2026 17:00:00 GMT', 0],
  ])('%j is a wait of %d ms', (header, wait) => {
    expect(retryAfterMs(header, NOW)).toBe(wait);
  });

  const NUMBERS = 'soon -1 1.5 1e3 +5 99999999999'.split(' ');
  const DATES = ['2026-06-11T18:02:00Z', 'Thu, 11 Jun 2026 18:02:00', 'Thu, 99 Jun 2026 18:02:00 GMT'];
  test.each([undefined, '', 'soon 5', ...NUMBERS, ...DATES, 'Thu Jun 11 18:02:00 2026'])(
    'ignores %j',
    (header) => {
      expect(retryAfterMs(header, NOW)).toBeNull();
    },
  );

  test('ignores a repeated header', () => {
    expect(retryAfterMs(['1', '2'], NOW)).toBeNull();
  });
});
