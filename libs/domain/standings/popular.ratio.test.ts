import { expect, test } from 'vitest';
import { percentage, ratio } from './popular.ts';

test.each([
  [0, 3, '0.00'],
  [1, 3, '0.33'],
  [2, 3, '0.67'],
  [1, 200, '0.01'],
  [5, 2, '2.50'],
  [7, 0, ''],
])('%d of %d is %j', (count, of, text) => {
  expect(ratio(count, of)).toBe(text);
});

test('gives percentages in the same form', () => {
  expect([percentage(1, 3), percentage(38, 38), percentage(0, 0)]).toEqual(['33.33', '100.00', '']);
});
