import { describe, expect, test } from 'vitest';
import { differences, fieldsOf } from './fields.ts';

test('lists every field with its types, and an object with open keys as one field', () => {
  const answer = {
    list: [
      { id: 1, name: null },
      { id: 2, name: 'a', additional_info: { any: 1 } },
    ],
    ratio: 0.5,
  };
  expect(fieldsOf(answer)).toEqual({
    list: 'array',
    'list[]': 'object',
    'list[].additional_info': 'object',
    'list[].id': 'integer',
    'list[].name': 'null | string',
    ratio: 'number',
  });
});

describe('differences', () => {
  const between = (example: unknown, answer: unknown): string[] =>
    differences(fieldsOf(example), fieldsOf(answer));

  test.each([
    ['a field that is gone', { a: 1, b: 2 }, { a: 1 }, ['b: not in the answer']],
    ['a field that is new', { a: [{ b: 1 }] }, { a: [{ b: 1, c: 1 }] }, ['a[].c: not in the example']],
    ['another type', { a: 1 }, { a: '1' }, ['a: integer in the example, string in the answer']],
    [
      'a list in place of an object',
      { a: { b: 1 } },
      { a: [] },
      expect.arrayContaining(['a: object in the example, array in the answer']),
    ],
  ])('are: %s', (_, example, answer, found) => expect(between(example, answer)).toEqual(found));

  test.each([
    ['null for a value', { a: 1, b: null }, { a: null, b: 'x' }],
    ['an empty list for one with items', { a: [{ b: 1 }] }, { a: [] }],
    ['null for an object', { a: { b: 1 } }, { a: null }],
    ['one of several types', { a: [1, 'x'] }, { a: ['x'] }],
  ])('are not: %s', (_, example, answer) => {
    expect(between(example, answer)).toEqual([]);
    expect(between(answer, example)).toEqual([]);
  });
});
