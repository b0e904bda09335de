import { createHmac, createSecretKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issueToken, MIN_KEY_BYTES, verifyToken } from './token.ts';

const KEY = Buffer.alloc(MIN_KEY_BYTES, 'k');
const OTHER = Buffer.alloc(MIN_KEY_BYTES, 'o');
const NOW = 1_790_000_000;
const INSTANCE = '0123456789abcdef';
const issue = (clientId: number, expiration: number, key: Parameters<typeof issueToken>[1]): string =>
  issueToken({ clientId, expiration, instance: INSTANCE }, key);
const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('a token', () => {
  test('consists of version, client, expiration, instance and their HMAC-SHA256', () => {
    const signature = createHmac('sha256', KEY).update(`v1.7.1790003600.${INSTANCE}`).digest('base64url');
    expect(issue(7, NOW + 3600, KEY)).toBe(`v1.7.1790003600.${INSTANCE}.${signature}`);
  });

  test('is valid until the second of its expiration', () => {
    fc.assert(
      fc.property(positive, positive, (clientId, expiration) => {
        const token = issue(clientId, expiration, KEY);
        expect(verifyToken(token, expiration - 1, [KEY])).toEqual({
          clientId,
          expiration,
          instance: INSTANCE,
        });
        expect(verifyToken(token, expiration, [KEY])).toBeNull();
        expect(verifyToken(token, expiration - 1, [OTHER])).toBeNull();
        expect(encodeURIComponent(token)).toBe(token);
      }),
    );
  });

  test('is invalid with any character changed, added or removed', () => {
    const token = issue(7, NOW + 3600, KEY);
    const character = fc.constantFrom(...'0123456789abcXYZ-_.v=+/ \0');
    fc.assert(
      fc.property(fc.nat(token.length - 1), character, (at, one) => {
        const before = token.slice(0, at);
        const changed = before + one + token.slice(at + 1);
        if (changed !== token) expect(verifyToken(changed, NOW, [KEY])).toBeNull();
        expect(verifyToken(before + one + token.slice(at), NOW, [KEY])).toBeNull();
        expect(verifyToken(before + token.slice(at + 1), NOW, [KEY])).toBeNull();
      }),
    );
  });

  test('has one spelling only', () => {
    const token = issue(7, NOW + 3600, KEY);
    // The last character of 43 carries four bits: three other characters decode to the same bytes.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const accepted = [...alphabet].filter(
      (last) => verifyToken(token.slice(0, -1) + last, NOW, [KEY]) !== null,
    );
    expect(accepted).toEqual([token.at(-1)]);
  });

  test('is verified without an exception for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (text) => {
        expect(verifyToken(text, NOW, [KEY])).toBeNull();
      }),
    );
    expect(verifyToken('v1.'.padEnd(1_000_000, '1'), NOW, [KEY])).toBeNull();
    expect(verifyToken('v1.0.1.'.padEnd(50, 'A'), 0, [KEY])).toBeNull();
  });

  test.each([0, -1, 1.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])(
    'is not issued for client or expiration %d',
    (odd) => {
      expect(() => issue(odd, NOW, KEY)).toThrow(new RangeError('a client id is a positive whole number'));
      expect(() => issue(1, odd, KEY)).toThrow('an expiration is a positive whole number of seconds');
    },
  );

  test('is the same with a key object as with its bytes', () => {
    const token = issue(7, NOW + 3600, KEY);
    expect(issue(7, NOW + 3600, createSecretKey(KEY))).toBe(token);
    expect(verifyToken(token, NOW, [createSecretKey(KEY)])).not.toBeNull();
    expect(verifyToken(token, NOW, [createSecretKey(OTHER)])).toBeNull();
    for (const short of [KEY.subarray(1), createSecretKey(KEY.subarray(1))])
      expect(() => issue(1, NOW, short)).toThrow('a key has at least 32 bytes');
    const odd = { clientId: 1, expiration: NOW, instance: 'x' };
    expect(() => issueToken(odd, KEY)).toThrow('an instance is 16 hex digits');
    expect(() => issue(1, NOW, generateKeyPairSync('ed25519').privateKey)).toThrow(RangeError);
  });

  test('is valid with the signature of any of several keys', () => {
    const token = issue(7, NOW + 3600, KEY);
    const claims = { clientId: 7, expiration: NOW + 3600, instance: INSTANCE };
    expect(verifyToken(token, NOW, [OTHER, KEY])).toEqual(claims);
    expect(verifyToken(token, NOW, [KEY, OTHER])).toEqual(claims);
    expect(verifyToken(token, NOW, [OTHER])).toBeNull();
    expect(verifyToken(token, NOW, [])).toBeNull();
  });
});
