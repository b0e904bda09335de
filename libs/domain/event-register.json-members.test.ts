import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '#contract/canonical-json.ts';
import { membersOf } from './event-register.ts';

test('splits an object into its names and the canonical JSON of their values', () => {
  const tricky = fc.constantFrom('"', '\\', '\\"', '{', '}', '[', ']', ',', ':', '__proto__', '0', 'é');
  const names = fc.oneof(
    fc.string(),
    fc.array(tricky).map((some) => some.join('')),
  );
  const values = fc.oneof(fc.jsonValue(), names, fc.array(names), fc.dictionary(names, names));
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values)), (entries) => {
      const value: Record<string, unknown> = Object.fromEntries(entries);
      const members = membersOf(canonicalJson(value), value);
      expect(Object.fromEntries(members)).toEqual(
        Object.fromEntries(Object.entries(value).map(([name, one]) => [name, canonicalJson(one)])),
      );
      expect(members.map(([name]) => name)).toEqual(Object.keys(value).sort());
    }),
    { numRuns: 1000 },
  );
});
