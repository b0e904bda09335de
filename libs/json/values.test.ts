import { describe, expect, test } from 'vitest';
import {
  dateOf,
  INT_MAX,
  identifier,
  LONG_MAX,
  parseJson,
  textOrNone,
  toWholeNumber,
  valuesOrNone,
  whole,
  wholeInText,
  wholeOrNone,
  yesNoOrNone,
} from './values.ts';

type Schema = {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly issues: unknown } };
};

const accepts = (schema: Schema, value: unknown): boolean => schema.safeParse(value).success;
const problemOf = (schema: Schema, value: unknown): unknown => schema.safeParse(value).error?.issues;

test('the limits are those of Avro', () => {
  expect([INT_MAX, LONG_MAX]).toEqual([2 ** 31 - 1, Number.MAX_SAFE_INTEGER - 1]);
});

test.each([
  [7, 7],
  [-7, -7],
  [0, 0],
  ['7', 7],
  ['007', 7],
  ['1234567890123456', 1_234_567_890_123_456],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Number.MAX_SAFE_INTEGER + 1, null],
  ['9999999999999999', null],
  ['12345678901234567', null],
  ['-7', null],
  ['7 ', null],
  [' 7', null],
  ['7x', null],
  ['', null],
  [1.5, null],
  [Number.NaN, null],
  [null, null],
  [undefined, null],
  [true, null],
  [[7], null],
])('reads %j as the whole number %j', (value, number) => {
  expect(toWholeNumber(value)).toBe(number);
});

test.each([
  ['7', 7],
  [' 7\t', 7],
  ['+7', 7],
  ['7.', 7],
  ['07.00', 7],
  ['7.5', null],
  ['-7', null],
  ['7 7', null],
  ['x7', null],
  ['7x', null],
  ['.0', null],
  ['12345678901234567', null],
  [' ', null],
  ['', null],
])('the text %j contains the whole number %j', (text, number) => {
  expect(wholeInText(text)).toBe(number);
});

test.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [1_790_000_000_123, '2026-09-21T14:13:20.123Z'],
  [8.64e15, '+275760-09-13T00:00:00.000Z'],
  [8.64e15 + 1, undefined],
])('the time %d is the date %s', (milliseconds, text) => {
  expect(dateOf(milliseconds)?.toISOString()).toBe(text);
});

test.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['{"a":', undefined],
  ['', undefined],
  [String.raw`"\ud83d\ude00 \uD83D FC \udE00"`, '\u{1f600} \ufffd FC \ufffd'],
  [String.raw`{"\ud83d":"\\ud83d\ud83d\ud83d\ude00"}`, { '\ufffd': '\\ud83d\ufffd\u{1f600}' }],
])('the text %j has the JSON value %j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

describe('a whole number of a message', () => {
  test.each([
    [0, true],
    ['0', true],
    [10, true],
    ['10', true],
    [11, false],
    ['11', false],
    [-1, false],
    [1.5, false],
    ['x', false],
    ['', false],
    [{}, false],
  ])('%j up to 10: %j', (value, isValid) => {
    expect(accepts(whole(10), value)).toBe(isValid);
    expect(accepts(wholeOrNone(10), value)).toBe(isValid);
  });

  test.each([null, undefined])('%j is none', (value) => {
    expect(accepts(whole(10), value)).toBe(false);
    expect(accepts(wholeOrNone(10), value)).toBe(true);
  });

  test('that is invalid is reported with the expected values', () => {
    expect(problemOf(whole(10), 11)).toMatchObject([{ message: 'expected a whole number from 0 to 10' }]);
    expect(problemOf(wholeOrNone(10), 11)).toMatchObject([
      { message: 'expected a whole number from 0 to 10, or null' },
    ]);
    expect(accepts(wholeOrNone(10).array(), [])).toBe(true);
  });
});

test.each([
  [textOrNone, ['a', '', null, undefined], [1, {}, []], 'expected text or null'],
  [yesNoOrNone, ['yes', 'no', null, undefined], ['', 'maybe', true], 'expected yes, no or null'],
  [identifier, ['5-1', 'x'.repeat(255), 'é'.repeat(127)], [null, 7], 'expected text'],
  [
    identifier,
    ['a'],
    ['', 'x'.repeat(256), 'é'.repeat(128), '\ud800'],
    'expected 1 to 255 bytes of well-formed text',
  ],
] as const)('texts %# are accepted, and what is none is named', (schema, valid, wrong, message) => {
  for (const value of valid) expect([value, accepts(schema, value)]).toEqual([value, true]);
  for (const value of wrong) expect(problemOf(schema, value)).toMatchObject([{ message }]);
});

describe('a list of results', () => {
  test.each([
    [[]],
    [null],
    [undefined],
    [[{ id: 2, value: '1' }]],
    [[{ id: '2', value: 1 }]],
    [[{ id: 2, value: null }]],
    [[{ id: 2 }]],
    [
      [
        { id: 0, value: 1.5, name: 'x' },
        { id: INT_MAX, value: '' },
      ],
    ],
  ])('%j is accepted', (list) => {
    expect(problemOf(valuesOrNone, list)).toBeUndefined();
  });

  test.each([
    ['none', [], 'expected a list'],
    [{ 0: {} }, [], 'expected a list'],
    [
      [
        { id: 2, value: 1 },
        { id: -1, value: 1 },
      ],
      [1, 'id'],
      `expected a whole number from 0 to ${INT_MAX}`,
    ],
    [[{ id: 2 ** 31, value: 1 }], [0, 'id'], `expected a whole number from 0 to ${INT_MAX}`],
    [[{ value: 1 }], [0, 'id'], `expected a whole number from 0 to ${INT_MAX}`],
    [[{ id: 2, value: {} }], [0, 'value'], 'expected a number, text or null'],
    [[{ id: 2, value: true }], [0, 'value'], 'expected a number, text or null'],
    [[{ id: 2, value: ' 3' }], [0, 'value'], 'expected a number, text or null'],
    [[{ id: 2, value: '3.0' }], [0, 'value'], 'expected a number, text or null'],
    [[{ id: 2, value: Number.POSITIVE_INFINITY }], [0, 'value'], 'expected a number, text or null'],
    [[{ id: 2 }, null], [1], 'expected an id and a value'],
    [[7], [0], 'expected an id and a value'],
    [['x'], [0], 'expected an id and a value'],
  ])('%j is rejected with its path and the expected value', (list, path, message) => {
    expect(problemOf(valuesOrNone, list)).toMatchObject([{ path, message }]);
  });

  test('names every problem', () => {
    const list = [
      { id: 'x', value: 1 },
      { id: 2, value: 1 },
      { id: 3, value: [] },
    ];
    expect(problemOf(valuesOrNone, list)).toMatchObject([
      { code: 'custom', path: [0, 'id'] },
      { code: 'custom', path: [2, 'value'] },
    ]);
  });
});
