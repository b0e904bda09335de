import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsInBytes } from './values.ts';

describe('fitsInBytes', () => {
  test.each([
    { kind: 'ASCII', character: 'x', bytes: 1 },
    { kind: 'two bytes', character: 'é', bytes: 2 },
    { kind: 'three bytes', character: '球', bytes: 3 },
    { kind: 'four bytes, two code units', character: '🏆', bytes: 4 },
    { kind: 'a lone surrogate, written as U+FFFD', character: '\ud800', bytes: 3 },
  ])('accepts text of exactly the limit and none over it: $kind', ({ character, bytes }) => {
    const text = character.repeat(100);
    expect(fitsInBytes([text], 100 * bytes)).toBe(true);
    expect(fitsInBytes([text], 100 * bytes - 1)).toBe(false);
  });

  test('counts all texts together', () => {
    expect(fitsInBytes(['é', 'x', ''], 3)).toBe(true);
    expect(fitsInBytes(['é', 'x', '', 'x'], 3)).toBe(false);
    expect(fitsInBytes([], 0)).toBe(true);
  });

  test('agrees with an encoder', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.nat(200), (some, limit) => {
        const bytes = some.reduce((sum, text) => sum + Buffer.from(text).length, 0);
        expect(fitsInBytes(some, limit)).toBe(bytes <= limit);
      }),
    );
  });
});
