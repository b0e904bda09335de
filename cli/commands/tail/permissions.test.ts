import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import type { Belief } from '#tradability/belief.ts';
import { Permissions } from './permissions.ts';

const state = { ...sampleOf('match-state'), event_id: 1, guard: { safe: true, reasons: [] } };
const belief =
  (of: Belief['state'], believed = of === 'alive') =>
  () => ({
    believed,
    state: of,
    reason: null,
    since: null,
    source: 'feed',
  });

test('says what may be traded once, and again when it changes, by time alone too', () => {
  const permissions = new Permissions();
  permissions.show(1, state);
  expect(permissions.changes(belief('alive'))).toEqual([[1, 'TRADING safe']]);
  expect(permissions.changes(belief('alive'))).toEqual([]);
  expect(permissions.changes(belief('expired'))).toEqual([[1, 'TRADING halted: feed_expired']]);
  permissions.show(1, { ...state, status_type: 'finished' });
  expect(permissions.changes(belief('expired'))).toEqual([[1, 'TRADING not in play']]);
  permissions.show(1, null);
  expect(permissions.changes(belief('alive'))).toEqual([]);
});

test('says nothing of a match that was over already', () => {
  const permissions = new Permissions();
  permissions.show(1, { ...state, status_type: 'finished' });
  expect(permissions.changes(belief('ended'))).toEqual([]);
});
