import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_TEXT, shortText, withShortTexts } from './short-text.ts';

const LONG = 'x'.repeat(10_000);

test('cuts a text beyond 255 characters, and no half of a character', () => {
  expect(shortText('x'.repeat(MAX_TEXT))).toBe('x'.repeat(MAX_TEXT));
  expect(shortText(LONG)).toBe(`${'x'.repeat(MAX_TEXT - 1)}…`);
  expect(shortText(`${'x'.repeat(MAX_TEXT - 2)}🏑 and more`)).toBe(`${'x'.repeat(MAX_TEXT - 2)}…`);
});

test('cuts the texts of a record at any depth, also those in its JSON texts, and keeps all else', () => {
  const record = {
    name: LONG,
    sides: [{ name: LONG, id: 7, seen: null }],
    body: JSON.stringify({ a: [LONG, 1.5], b: { c: 'short "quoted"' }, d: null }),
    bytes: Buffer.from(LONG),
  };
  const short = withShortTexts(record);
  expect(short).toEqual({
    name: shortText(LONG),
    sides: [{ name: shortText(LONG), id: 7, seen: null }],
    body: JSON.stringify({ a: [shortText(LONG), 1.5], b: { c: 'short "quoted"' }, d: null }),
    bytes: Buffer.from(LONG),
  });
  expect(record.sides[0]?.name).toBe(LONG);
});

test('returns the same record where no text is too long, whatever the length of its JSON texts', () => {
  const record = {
    body: JSON.stringify(Array.from({ length: 500 }, (_, n) => `name ${n}`)),
    numbers: JSON.stringify(Array.from({ length: 500 }, (_, n) => n)),
    quotes: JSON.stringify(Array.from({ length: 100 }, () => '"'.repeat(MAX_TEXT))),
    spaced: `[${' '.repeat(1000)}"a"]`,
    list: [{ a: 'b' }],
  };
  expect(withShortTexts(record)).toBe(record);
});

test.each(['[', '[U19] ', '{"', '[ "', '[1, "a", "'])(
  'cuts a text that only begins like JSON, with %s',
  (start) => {
    expect(withShortTexts(`${start}${LONG}`)).toBe(shortText(`${start}${LONG}`));
  },
);

test.each([null, undefined, 7, true, ''])('keeps %j', (value) => {
  expect(withShortTexts({ value })).toStrictEqual({ value });
});

test('leaves no text too long in a JSON text, wherever it begins and whatever it contains', () => {
  const texts = fc
    .tuple(fc.integer({ min: 0, max: 600 }), fc.constantFrom('x', '"', '\\', 'é', 'a"b'))
    .map(([length, unit]) => unit.repeat(length).slice(0, length));
  fc.assert(
    fc.property(fc.array(fc.oneof(texts, fc.nat()), { minLength: 1, maxLength: 20 }), (list) => {
      const cut = JSON.parse(withShortTexts(JSON.stringify(list)));
      const isJudged = JSON.stringify(list).length > MAX_TEXT;
      if (isJudged)
        expect(cut).toEqual(list.map((item) => (typeof item === 'string' ? shortText(item) : item)));
      else expect(cut).toEqual(list);
    }),
  );
});
