import { expect, test } from 'vitest';
import { hashToken, isLive, newToken, newTokenId } from './access-tokens.ts';

test('creates tokens of the prefix and 256 random bits', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) {
    expect(token.startsWith('touchline_pat_')).toBe(true);
    expect(Buffer.from(token.slice('touchline_pat_'.length), 'base64url')).toHaveLength(32);
  }
});

test('keeps a hash of a token that has nothing of its text, and an id that has nothing of either', () => {
  const token = newToken();
  expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashToken(token)).toBe(hashToken(token));
  expect(hashToken(newToken())).not.toBe(hashToken(token));
  expect(newTokenId()).toMatch(/^[0-9a-f]{16}$/);
});

test.each([
  ['without an expiry', null, null, true],
  ['a millisecond before its expiry', 1_001, null, true],
  ['at its expiry', 1_000, null, false],
  ['revoked', null, 999, false],
  ['revoked at a future time, by a clock that is ahead', null, 2_000, false],
])('a token %s: expires_at %j, revoked_at %j, live %j', (_, expires_at, revoked_at, live) => {
  expect(isLive({ expires_at, revoked_at }, 1_000)).toBe(live);
});
