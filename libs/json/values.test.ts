import { expect, test } from 'vitest';
import { dateOf, INT_MAX, isWhole, LONG_MAX, parseJson, toWholeNumber, wholeInText } from './values.ts';

test('the limits are those of Avro', () => {
  expect([INT_MAX, LONG_MAX]).toEqual([2 ** 31 - 1, Number.MAX_SAFE_INTEGER - 1]);
});

test.each([
  [7, 7],
  [-7, -7],
  ['007', 7],
  ['1234567890123456', 1_234_567_890_123_456],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [Number.MAX_SAFE_INTEGER + 1, null],
  ['9999999999999999', null],
  ['12345678901234567', null],
  ['-7', null],
  ['7 ', null],
  ['', null],
  [1.5, null],
  [null, null],
  [[7], null],
])('reads %j as the whole number %j', (value, number) => {
  expect(toWholeNumber(value)).toBe(number);
});

test.each([
  [' +7\t', 7],
  ['7.', 7],
  ['07.00', 7],
  ['7.5', null],
  ['-7', null],
  ['7 7', null],
  ['x7', null],
  ['.0', null],
  ['12345678901234567', null],
  [' ', null],
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

test.each([
  [0, true],
  ['10', true],
  [11, false],
  [-1, false],
  [null, false],
])('%j is a whole number up to 10: %j', (value, isValid) => {
  expect(isWhole(value, 10)).toBe(isValid);
});
