import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#contract/canonical-json.ts';
import { DomainError } from './event-parts.ts';
import { EventRegister } from './event-register.ts';

function registerOf(...messages: readonly (readonly [ut: number, ...parts: object[]])[]): EventRegister {
  const register = new EventRegister();
  for (const [ut, ...parts] of messages)
    register.apply(register.read(parts.map((part) => canonicalJson(part))), ut);
  return register;
}

describe('a field of the event (law 2)', () => {
  type Message = readonly [ut: number, fields: object];
  test.each<[why: string, first: Message, second: Message, a: unknown, at: number]>([
    ['the later value wins', [1, { a: 9 }], [2, { a: 1 }], 1, 2],
    ['an earlier value changes nothing', [2, { a: 1 }], [1, { a: 9 }], 1, 2],
    ['at the same time the larger JSON wins', [1, { a: 2 }], [1, { a: 10 }], 2, 1],
    ['in either order', [1, { a: 10 }], [1, { a: 2 }], 2, 1],
    ['text, number and null are compared as JSON', [1, { a: '9' }], [1, { a: null }], null, 1],
    ['null is a value', [1, { a: 1 }], [2, { a: null }], null, 2],
    ['an absent field changes nothing', [1, { a: 1 }], [2, { b: 1 }], 1, 1],
    ['the same value gets its latest time', [1, { a: 1 }], [2, { a: 1 }], 1, 2],
    ['a list is one value', [1, { a: [1, 2] }], [2, { a: [3] }], [3], 2],
  ])('%s', (_, first, second, a, at) => {
    const register = registerOf(first, second);
    expect(register.json('a')).toBe(canonicalJson(a));
    expect(register.reportedAt('a')).toBe(at);
  });
});

describe('applying an event', () => {
  test('returns the fields with a new value', () => {
    const register = registerOf([1, { a: 1, b: 1 }]);
    const apply = (ut: number, part: object) => register.apply(register.read([canonicalJson(part)]), ut);
    expect(apply(1, { a: 1, b: 1 })).toEqual({ changed: false, fields: [] });
    expect(apply(2, { a: 1, b: 1 })).toEqual({ changed: true, fields: [] });
    expect(apply(3, { a: 1, b: 2, c: 1 })).toEqual({ changed: true, fields: ['b', 'c'] });
    expect(apply(1, { a: 7, b: 7 })).toEqual({ changed: false, fields: [] });
    expect(apply(9, {})).toEqual({ changed: false, fields: [] });
  });

  test('updates the time of a repeated part, but only for fields whose value it still determines', () => {
    const part = { a: 1, b: 1 };
    const register = registerOf([1, part], [5, { b: 2 }], [3, part]);
    expect(register.grouped()).toEqual([
      { ut: 3, json: '{"a":1}' },
      { ut: 5, json: '{"b":2}' },
    ]);
  });

  test('does not update the time of a field whose value another part of the message now determines', () => {
    const part = { a: 1, b: 1 };
    const register = registerOf([1, {}, part], [5, { b: 2 }], [7, {}, part], [8, { b: 3 }], [8, {}, part]);
    expect(register.grouped()).toEqual([{ ut: 8, json: '{"a":1,"b":3}' }]);
  });

  test('rejects a part that is not a JSON object, and changes nothing', () => {
    const register = registerOf([1, { a: 1 }]);
    for (const text of ['', '{"a":', '[1]', 'null']) {
      const refusal = expect(() => register.read(['{"a":2}', text]), text);
      refusal.toThrow(DomainError);
      refusal.toThrow(expect.objectContaining({ code: 'UNREADABLE_EVENT' }));
    }
    expect(register.grouped()).toEqual([{ ut: 1, json: '{"a":1}' }]);
  });
});

test('reads a part alike, whatever part of another event was read before', () => {
  const value = fc.oneof(fc.integer(), fc.string({ maxLength: 3 }), fc.jsonValue());
  const name = fc.constantFrom('name', 'sport_id', 'participants');
  const events = fc.array(fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }), { maxLength: 6 });
  fc.assert(
    fc.property(events, (all) => {
      for (const event of all) {
        const register = registerOf([1, event]);
        for (const [field, given] of Object.entries(event)) {
          expect(register.json(field)).toBe(canonicalJson(given));
          expect(register.value(field)).toEqual(JSON.parse(canonicalJson(given)));
        }
      }
    }),
    { numRuns: 500 },
  );
});

describe('the grouped fields', () => {
  test('are canonical JSON, grouped by time, oldest first', () => {
    const register = registerOf([7, { z: 1, c: { y: [], x: '}' } }, { b: '"' }], [3, { a: 1, z: 0 }]);
    expect(register.grouped()).toEqual([
      { ut: 3, json: '{"a":1}' },
      { ut: 7, json: '{"b":"\\"","c":{"x":"}","y":[]},"z":1}' },
    ]);
  });

  test('do not depend on the parts of the messages', () => {
    expect(registerOf([1, { a: 1, b: 2, c: 3 }]).grouped()).toEqual(
      registerOf([1, { c: 3 }, { a: 1, b: 2 }]).grouped(),
    );
  });

  test('restore the register', () => {
    const messages = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 }),
        fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue(), { maxKeys: 3 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(messages, (history) => {
        const register = registerOf(...history);
        expect(EventRegister.restore(register.grouped()).grouped()).toEqual(register.grouped());
      }),
    );
  });
});
