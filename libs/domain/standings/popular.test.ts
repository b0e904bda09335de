import { expect, test } from 'vitest';
import { percentage, ratio } from './popular.ts';
import { lines, result, table } from './testing/results.ts';

test('ranks results by frequency, then by fewer goals, then by fewer goals of the home team', () => {
  const scores = ['2-0', '1-1', '0-2', '3-1', '3-1', '1-0', '0-0', '0-0', '0-0', '?'];
  const games = scores.map((score, at) => result(at + 1, `A ${score} B`));
  expect(lines(table('popular_results', games), 'amount', 'pct')).toEqual([
    '1 0:0 3 33.33',
    '2 3:1 2 22.22',
    '3 1:0 1 11.11',
    '3 0:2 1 11.11',
    '3 1:1 1 11.11',
    '3 2:0 1 11.11',
  ]);
});

test.each([
  [0, 3, 0],
  [1, 3, 0.33],
  [2, 3, 0.67],
  [1, 200, 0.01],
  [5, 2, 2.5],
  [7, 0, null],
])('the ratio %d of %d is %j', (count, divisor, expected) => {
  expect(ratio(count, divisor)).toBe(expected);
});

test('percentages are ratios', () => {
  expect([percentage(1, 3), percentage(38, 38), percentage(0, 0)]).toEqual([33.33, 100, null]);
});
