import { expect, test } from 'vitest';
import { TradingPermissions } from './trading-permissions.ts';

const SAFE = { permission: 'safe', reasons: [] } as const;
const OVER = { permission: 'not_in_play', reasons: [] } as const;

test('reports the permission once, and again when it changes', () => {
  const permissions = new TradingPermissions();
  expect(permissions.change(1, SAFE)).toBe('TRADING safe');
  expect(permissions.change(1, SAFE)).toBeNull();
  expect(permissions.change(1, { permission: 'halted', reasons: ['under_review', 'feed_expired'] })).toBe(
    'TRADING halted: under_review, feed_expired',
  );
  expect(permissions.change(1, OVER)).toBe('TRADING not in play');
});

test('reports nothing for a match that was already over', () => {
  expect(new TradingPermissions().change(1, OVER)).toBeNull();
});
