import { expect, test } from 'vitest';
import { hasResult, resultScore } from './result.ts';

test.each([
  ['finished', 11, 'finished', true],
  ['finished with an unknown status', null, 'finished', true],
  ['awarded', 12, 'finished', true],
  ['abandoned', 7, 'finished', false],
  ['live', 34, 'live', false],
  ['cancelled', 3, 'cancelled', false],
  ['of an unknown status', null, null, false],
])('decides whether a match has a result that is %s', (_, id, type, has) =>
  expect(hasResult(id, type)).toBe(has),
);

test('the score of an awarded match is the reported one, if one was reported', () => {
  const [score, reported] = [
    { home: 1, away: 0 },
    { home: 0, away: 3 },
  ];
  expect(resultScore({ status_id: 12, score, reported })).toBe(reported);
  expect(resultScore({ status_id: 12, score, reported: null })).toBe(score);
  expect(resultScore({ status_id: 11, score, reported })).toBe(score);
});
