import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { Permissions } from './permissions.ts';

const state = { ...sampleOf('match-state'), event_id: 1, guard: { safe: true, reasons: [] } };
const feed =
  (of: FeedStatus['state'], believed = of === 'alive') =>
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
  expect(permissions.changes(feed('alive'))).toEqual([[1, 'TRADING safe']]);
  expect(permissions.changes(feed('alive'))).toEqual([]);
  expect(permissions.changes(feed('expired'))).toEqual([[1, 'TRADING halted: feed_expired']]);
  permissions.show(1, { ...state, status_type: 'finished' });
  expect(permissions.changes(feed('expired'))).toEqual([[1, 'TRADING not in play']]);
  permissions.show(1, null);
  expect(permissions.changes(feed('alive'))).toEqual([]);
});

test('says nothing of a match that was over already', () => {
  const permissions = new Permissions();
  permissions.show(1, { ...state, status_type: 'finished' });
  expect(permissions.changes(feed('ended'))).toEqual([]);
});
