import { expect, test } from 'vitest';
import { count, object, text } from './values.ts';

test('a value is a count, a text or an object only if it is one', () => {
  expect(['007', '2147483647', '2147483648', '-1', ' 1', '', null].map(count)).toEqual([
    7,
    2_147_483_647,
    ...Array.from({ length: 5 }, () => null),
  ]);
  expect([text('a'), text(1), text(null)]).toEqual(['a', null, null]);
  expect([object({ a: 1 }), object([]), object(null), object('a')]).toEqual([{ a: 1 }, null, null, null]);
});
