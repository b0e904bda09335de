import { expect, test } from 'vitest';
import { MAX_TEXT, shortText, withShortTexts } from './short-text.ts';

const LONG = 'x'.repeat(10_000);

test('cuts a text beyond 255 characters, and no half of a character', () => {
  expect(shortText('x'.repeat(MAX_TEXT))).toBe('x'.repeat(MAX_TEXT));
  expect(shortText(LONG)).toBe(`${'x'.repeat(MAX_TEXT - 1)}…`);
  expect(shortText(`${'x'.repeat(MAX_TEXT - 2)}🏑 and more`)).toBe(`${'x'.repeat(MAX_TEXT - 2)}…`);
});

test('cuts the texts of a record at any depth, also those in the JSON of what the contract does not know', () => {
  const json = (long: string) => ({
    info: JSON.stringify(long),
    list: JSON.stringify({ a: [long, 1.5], other: { of: [long, 'short "quoted"'] }, d: null }),
    short: '7',
  });
  const record = {
    name: `[U19] ${LONG}`,
    sides: [{ name: LONG, id: 7, seen: null, other: json(LONG) }],
    other: json(LONG),
    bytes: Buffer.from(LONG),
  };
  expect(withShortTexts(record)).toEqual({
    name: shortText(`[U19] ${LONG}`),
    sides: [{ name: shortText(LONG), id: 7, seen: null, other: json(shortText(LONG)) }],
    other: json(shortText(LONG)),
    bytes: Buffer.from(LONG),
  });
  expect(record.sides[0]?.name).toBe(LONG);
});

test('returns the same record where no text is too long, whatever the length of its JSON', () => {
  const record = {
    other: {
      names: JSON.stringify(Array.from({ length: 500 }, (_, n) => `name ${n}`)),
      quotes: JSON.stringify(Array.from({ length: 100 }, () => '"'.repeat(MAX_TEXT))),
    },
    list: [{ a: 'b' }],
  };
  expect(withShortTexts(record)).toBe(record);
});

test.each([null, undefined, 7, true, ''])('keeps %j', (value) => {
  expect(withShortTexts({ value })).toStrictEqual({ value });
});
