import { expect, test } from 'vitest';
import { hasResult } from './message-key.ts';

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
