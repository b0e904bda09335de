import { describe, expect, test } from 'vitest';
import { count, int, list, long, object, text } from './values.ts';

describe('a loosely typed field', () => {
  test.each([
    { value: 7, long: 7, int: 7, count: 7 },
    { value: '7', long: 7, int: 7, count: 7 },
    { value: '007', long: 7, int: 7, count: 7 },
    { value: -1, long: -1, int: -1, count: null },
    { value: '-1', long: -1, int: -1, count: null },
    { value: 2 ** 31 - 1, long: 2147483647, int: 2147483647, count: 2147483647 },
    { value: 2 ** 31, long: 2147483648, int: null, count: null },
    { value: -(2 ** 31) + 1, long: -2147483647, int: -2147483647, count: null },
    { value: -(2 ** 31), long: -2147483648, int: null, count: null },
    { value: '9007199254740993', long: null, int: null, count: null },
    { value: 2 ** 53, long: null, int: null, count: null },
    { value: 1.5, long: null, int: null, count: null },
    { value: '', long: null, int: null, count: null },
    { value: ' 1', long: null, int: null, count: null },
    { value: '1e3', long: null, int: null, count: null },
    { value: null, long: null, int: null, count: null },
    { value: undefined, long: null, int: null, count: null },
    { value: true, long: null, int: null, count: null },
    { value: [1], long: null, int: null, count: null },
  ])('$value', (row) => {
    expect({ long: long(row.value), int: int(row.value), count: count(row.value) }).toEqual({
      long: row.long,
      int: row.int,
      count: row.count,
    });
  });

  test('reads -0 as 0', () => {
    expect(Object.is(int(-0), 0)).toBe(true);
  });

  test('is read as text, object or list only if it is one', () => {
    expect([text('a'), text(1), text(null)]).toEqual(['a', null, null]);
    expect([object({ a: 1 }), object([]), object(null), object('a')]).toEqual([{ a: 1 }, null, null, null]);
    expect([list([1]), list({ length: 1 }), list(null)]).toEqual([[1], [], []]);
  });
});
