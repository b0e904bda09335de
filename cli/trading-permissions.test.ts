import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { NO_HALTS } from '#tradability/halts.ts';
import { TradingPermissions } from './trading-permissions.ts';

const state = { ...sampleOf('match-state'), event_id: 1, guard: { safe: true, reasons: [] } };
const feed =
  (of: FeedStatus['state'], believed = of === 'alive') =>
  () => ({
    believed,
    state: of,
    reason: null,
    since: null,
    delay: null,
    source: 'feed',
  });

test('reports the permission once, and again when it changes, even without a new state', () => {
  const permissions = new TradingPermissions();
  permissions.apply(1, state);
  expect(permissions.changes(feed('alive'), () => NO_HALTS)).toEqual([[1, 'TRADING safe']]);
  expect(permissions.changes(feed('alive'), () => NO_HALTS)).toEqual([]);
  expect(permissions.changes(feed('expired'), () => NO_HALTS)).toEqual([[1, 'TRADING halted: feed_expired']]);
  permissions.apply(1, { ...state, version: state.version + 1, status_type: 'finished' });
  expect(permissions.changes(feed('expired'), () => NO_HALTS)).toEqual([[1, 'TRADING not in play']]);
  permissions.apply(1, null);
  expect(permissions.changes(feed('alive'), () => NO_HALTS)).toEqual([]);
});

test('halts a match whose version went back, until it has that version again', () => {
  const permissions = new TradingPermissions();
  const { version, cause } = state;
  const lost = (of: number) => ({ ...state, version: of, cause: { ...cause, offset: cause.offset + of } });
  for (const [applied, words] of [
    [state, 'safe'],
    [lost(1), 'halted: version_went_back'],
    [lost(version), 'safe'],
  ] as const) {
    permissions.apply(1, applied);
    expect(permissions.changes(feed('alive'), () => NO_HALTS)).toEqual([[1, `TRADING ${words}`]]);
  }
});

test('reports nothing for a match that was already over', () => {
  const permissions = new TradingPermissions();
  permissions.apply(1, { ...state, status_type: 'finished' });
  expect(permissions.changes(feed('ended'), () => NO_HALTS)).toEqual([]);
});
