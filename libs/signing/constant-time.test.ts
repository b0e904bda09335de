import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sign, verify } from './signing.ts';

const SECRET = 's'.repeat(32);
const NOW = 1_790_000_000_000;
const TIMESTAMP = '1790000300';
const BODY = Buffer.from('[]');

test('compares the whole signature in constant time, wherever it differs', () => {
  const compare = vi.spyOn(crypto, 'timingSafeEqual');
  onTestFinished(() => {
    compare.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
  const good = sign(BODY, TIMESTAMP, SECRET);
  const other = (at: number) => `${good.slice(0, at)}${good[at] === '0' ? '1' : '0'}${good.slice(at + 1)}`;
  for (const [signature, verdict] of [
    [good, 'ok'],
    [other(0), 'signature_mismatch'],
    [other(63), 'signature_mismatch'],
  ] as const) {
    compare.mockClear();
    expect(verify(BODY, { timestamp: TIMESTAMP, signature }, [SECRET], NOW)).toBe(verdict);
    const [[one, two] = []] = compare.mock.calls;
    expect([one?.byteLength, two?.byteLength]).toEqual([32, 32]);
  }
});
