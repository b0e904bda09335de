import fc from 'fast-check';
import { configure } from 'safe-stable-stringify';
import { describe, expect, test } from 'vitest';
import { CanonicalJsonError, canonicalJson } from './canonical-json.ts';

const reference = configure({ circularValue: Error });

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe('canonicalJson', () => {
  test('keeps a key named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });

  test('equals the text of safe-stable-stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(canonicalJson(parsed)).toBe(reference(parsed));
      }),
    );
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
