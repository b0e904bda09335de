import fc from 'fast-check';
import { configure } from 'safe-stable-stringify';
import { describe, expect, test } from 'vitest';
import { CanonicalJsonError, canonicalJson } from './canonical-json.ts';

const reference = configure({ circularValue: Error });

/** Returns an equal value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('canonicalJson', () => {
  test('sorts keys that look like integers as text', () => {
    expect(canonicalJson({ 2: 1, 10: 2, 1: 3 })).toBe('{"1":3,"10":2,"2":1}');
    expect(canonicalJson([{ 2: 1, 10: 2 }])).toBe('[{"10":2,"2":1}]');
  });

  test('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });

  test('is the same for any order of the keys, and parses back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        const text = canonicalJson(parsed);
        expect(canonicalJson(reversed(parsed))).toBe(text);
        expect(JSON.parse(text)).toEqual(parsed);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('equals the text of safe-stable-stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(canonicalJson(parsed)).toBe(reference(parsed));
      }),
    );
  });

  test('writes lists of ids and values, and lists that differ a little from them', () => {
    const scalar = fc.oneof(fc.integer(), fc.double(), fc.string({ unit: 'binary' }), fc.constant(null));
    const item = fc.oneof(
      fc.record({ id: scalar, value: scalar }),
      fc.record({ value: scalar, id: scalar }),
      fc.record({ id: scalar, value: fc.jsonValue() }),
      fc.record({ id: scalar, value: scalar, x: scalar }),
      fc.record({ id: scalar }),
      fc.constant([1, 2]),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (list) => {
        const parsed: unknown = JSON.parse(JSON.stringify(list));
        expect(canonicalJson(parsed)).toBe(reference(parsed));
      }),
    );
    for (const value of ['1e999', '-1e999'])
      expect(() => canonicalJson(JSON.parse(`[{"id":1,"value":${value}}]`))).toThrow(CanonicalJsonError);
  });

  test('rejects deep nesting without a stack overflow', () => {
    expect(canonicalJson(nested(64))).toHaveLength(128);
    for (const value of [nested(65), nested(1_000_000), { a: nested(64) }]) {
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'TOO_DEEP' }));
    }
    for (const record of ['{"a":1}', '{"id":1,"value":2}']) {
      const flatObjectTooDeep = JSON.parse(`${'['.repeat(64)}${record}${']'.repeat(64)}`);
      expect(() => canonicalJson(flatObjectTooDeep)).toThrow(CanonicalJsonError);
    }
  });
});

test.each([
  [Number.NaN, 'NOT_JSON', 'a number is not finite'],
  [{ a: [{ id: 1, value: Number.POSITIVE_INFINITY }] }, 'NOT_JSON', 'a number is not finite'],
  [undefined, 'NOT_JSON', 'a undefined has no JSON'],
  [1n, 'NOT_JSON', 'a bigint has no JSON'],
  [nested(65), 'TOO_DEEP', 'nested deeper than 64 levels'],
])('says why a value has no canonical form (%#)', (value, code, message) => {
  expect(() => canonicalJson(value)).toThrow(
    expect.objectContaining({ name: 'CanonicalJsonError', code, message }),
  );
});
