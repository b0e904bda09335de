import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSignature, type SignatureCheck, sign } from '#signing/signing.ts';
import { IncomingBody } from './admission.ts';

const SECRET = 's'.repeat(32);
const FRESH = '1790000300';
const NOW = 1_790_000_000_000;

function checkOf(body: Buffer, secret = SECRET): SignatureCheck {
  const check = checkSignature({ timestamp: FRESH, signature: sign(body, FRESH, secret) }, [SECRET], NOW);
  if (typeof check === 'string') throw new Error(check);
  return check;
}

const parts = fc.array(
  fc.uint8Array({ minLength: 1, maxLength: 9_000 }).map((bytes) => Buffer.from(bytes)),
  {
    maxLength: 40,
  },
);

test('returns the body unchanged for any chunks, with or without an announced length', () => {
  fc.assert(
    fc.property(parts, fc.boolean(), (chunks, announced) => {
      const whole = Buffer.concat(chunks);
      const body = new IncomingBody(checkOf(whole), announced ? whole.length : null);
      for (const chunk of chunks) body.add(chunk);
      expect(body.length).toBe(whole.length);
      expect(body.proven()?.equals(whole)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('returns null for a body signed with another secret', () => {
  const body = new IncomingBody(checkOf(Buffer.from('[]'), 'o'.repeat(32)), 2);
  body.add(Buffer.from('[]'));
  expect(body.proven()).toBeNull();
});

test('allocates as received bytes require: neither the announced length, nor much for each chunk', () => {
  const MIB = 1024 * 1024;
  const body = new IncomingBody(checkOf(Buffer.alloc(MIB)), 5 * MIB);
  const one = Buffer.alloc(1);
  const first = body.cost(one);
  body.add(one);
  expect(first).toBeLessThan(8 * 1024);
  let cost = first;
  for (let n = 1; n < MIB; n++) {
    cost += body.cost(one);
    body.add(one);
  }
  expect(cost).toBeGreaterThan(MIB);
  expect(cost).toBeLessThan(MIB + 128 * 1024);
});

test('stores a body of one chunk without a copy', () => {
  const whole = Buffer.from('[{"id":1}]');
  const body = new IncomingBody(checkOf(whole), whole.length);
  body.add(whole);
  expect(body.proven()?.buffer).toBe(whole.buffer);
});
