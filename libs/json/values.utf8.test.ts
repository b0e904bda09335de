import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitsInBytes } from './values.ts';

test('text of exactly the limit fits in bytes, as an encoder counts them', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 });
  fc.assert(
    fc.property(texts, fc.constantFrom(-40, -1, 0, 1, 40), (some, over) => {
      const bytes = some.reduce((sum, text) => sum + Buffer.from(text).length, 0);
      expect(fitsInBytes(some, bytes - over)).toBe(over <= 0);
    }),
  );
});
