import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSignature, type SignatureVerdict, sign, verify } from './signing.ts';

const SECRET = `${'a'.repeat(31)}A`;
const OTHER = 'b'.repeat(32);
const NOW = 1_790_000_000_500;
const FRESH = '1790000300';
const BODY = Buffer.from('[{"id":1}]');

const check = (
  timestamp: string | undefined,
  signature: string | undefined,
  body: Uint8Array = BODY,
): SignatureVerdict => verify(body, { timestamp, signature }, [SECRET], NOW);

test('sign is HMAC-SHA256 of the body, a dot and the timestamp, as lower-case hex', () => {
  const expected = createHmac('sha256', SECRET).update(`${BODY}.${FRESH}`).digest('hex');
  expect(sign(BODY, FRESH, SECRET)).toBe(expected);
  // Computed independently: printf '[].1790000300' | openssl dgst -sha256 -hmac <the secret>
  const fromOpenssl = '984f2c2490ffb2ea6127ba5e2d3daeb1211e7c5f1d3a4e297b9700ea61912d0e';
  expect(sign(Buffer.from('[]'), FRESH, SECRET)).toBe(fromOpenssl);
});

describe('verify', () => {
  test('accepts either secret during a rotation', () => {
    const signed = (secret: string) => ({ timestamp: FRESH, signature: sign(BODY, FRESH, secret) });
    for (const secret of [SECRET, OTHER]) {
      expect(verify(BODY, signed(secret), [SECRET, OTHER], NOW)).toBe('ok');
      expect(verify(BODY, signed(secret), [OTHER, SECRET], NOW)).toBe('ok');
    }
    expect(verify(BODY, signed(OTHER), [SECRET], NOW)).toBe('signature_mismatch');
    expect(verify(BODY, signed(SECRET), [], NOW)).toBe('signature_mismatch');
  });

  test('accepts an expiration of the current second or however far ahead, and none before it', () => {
    for (const at of ['1790000000', String(Number.MAX_SAFE_INTEGER)])
      expect(check(at, sign(BODY, at, SECRET))).toBe('ok');
    expect(check('1789999999', sign(BODY, '1789999999', SECRET))).toBe('timestamp_expired');
  });

  const FORMS = '0 -1 +1790000300 1790000300.0 1790000300.5 1.79e9 0x6AB1 01790000300 9007199254740993';
  const WORDS = ['soon', 'NaN', 'Infinity', '١٧٩٠٠٠٠٣٠٠', '1790000300, 1790000300'];
  const BLANKS = ['', ' 1790000300', '1790000300 ', '1790000300\n', '17900 00300'];
  test.each([...FORMS.split(' '), ...WORDS, ...BLANKS, '9'.repeat(400)])(
    'rejects timestamp %j although it is signed',
    (timestamp) => {
      expect(check(timestamp, sign(BODY, timestamp, SECRET))).toBe('timestamp_malformed');
    },
  );

  test('checks the timestamp before the signature', () => {
    expect(check(undefined, undefined)).toBe('timestamp_missing');
    expect(check('soon', undefined)).toBe('timestamp_malformed');
    expect(check('1', undefined)).toBe('timestamp_expired');
    expect(check(FRESH, undefined)).toBe('signature_missing');
  });

  test('accepts only one form of a signature', () => {
    const good = sign(BODY, FRESH, SECRET);
    const base64 = Buffer.from(good, 'hex').toString('base64');
    const longer = [`${good}0`, ` ${good}`, `${good}\n`, `sha256=${good}`];
    for (const bad of ['', good.toUpperCase(), good.slice(1), ...longer, 'g'.repeat(64), base64])
      expect(check(FRESH, bad)).toBe('signature_malformed');
  });

  test('detects any changed bit of body, timestamp or secret', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(7), (bytes, at, bit) => {
        const signature = sign(bytes, FRESH, SECRET);
        expect(check(FRESH, signature, bytes)).toBe('ok');
        const changed = Uint8Array.from(bytes);
        changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ (1 << bit);
        expect(check(FRESH, signature, changed)).toBe('signature_mismatch');
        expect(check('1790000301', signature, bytes)).toBe('signature_mismatch');
        expect(check(FRESH, sign(bytes, FRESH, OTHER), bytes)).toBe('signature_mismatch');
      }),
    );
  });

  test('accepts a body in parts of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (parts) => {
        const whole = Buffer.concat(parts);
        const claim = (signature: string) => {
          const check = checkSignature({ timestamp: FRESH, signature }, [OTHER, SECRET], NOW);
          if (typeof check === 'string') return check;
          for (const part of parts) check.update(part);
          return check.matches();
        };
        expect(claim(sign(whole, FRESH, SECRET))).toBe(true);
        expect(claim(sign(Buffer.concat([whole, Buffer.from(' ')]), FRESH, SECRET))).toBe(false);
        expect(claim('')).toBe('signature_malformed');
      }),
    );
  });

  test('accepts another form of a body instead of the one that arrived, with the same headers', () => {
    const headers = { timestamp: FRESH, signature: sign(BODY, FRESH, SECRET) };
    const check = checkSignature(headers, [OTHER, SECRET], NOW);
    if (typeof check === 'string') throw new Error(check);
    check.update(Buffer.from('compressed'));
    expect([check.matches(), check.matchesInstead(Buffer.from('[]'))]).toEqual([false, false]);
    expect(check.matchesInstead(BODY)).toBe(true);
  });

  test('never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.constant(FRESH),
    );
    const headerValue = fc.option(text, { nil: undefined });
    fc.assert(
      fc.property(fc.uint8Array(), headerValue, headerValue, (body, timestamp, signature) => {
        expect(verify(body, { timestamp, signature }, [SECRET, OTHER], NOW)).not.toBe('ok');
      }),
    );
  });
});
