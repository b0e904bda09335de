import { expect, test } from 'vitest';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { Withdrawals } from './withdrawals.ts';

const feed = (state: FeedStatus['state'], since = 1, reason: string | null = null): FeedStatus => ({
  believed: state === 'alive' || state === 'recovered',
  state,
  reason,
  since,
  source: 'feed',
});

/** The changes of match 7 as feeds follow each other. */
function changesOf(withdrawals: Withdrawals, ...feeds: readonly FeedStatus[]): string[][] {
  return feeds.map((one) =>
    withdrawals.changes([[7, one]]).map(({ kind, since, reasons }) => [kind, since, ...reasons].join(' ')),
  );
}

test('an episode begins once, however its reasons change, and ends once', () => {
  const feeds = [
    feed('alive'),
    feed('expired', 5),
    feed('expired', 6),
    feed('stale', 9, 'silence'),
    feed('recovering', 12, 'silence'),
    feed('recovered', 15),
    feed('alive', 75),
    feed('stale', 80, 'silence'),
  ];
  expect(changesOf(new Withdrawals(), ...feeds)).toEqual([
    [],
    ['match_stale 5 expired'],
    [],
    [],
    [],
    ['match_recovered 5'],
    [],
    ['match_stale 80 stale silence'],
  ]);
});

test('a match that is over, or was never judged, is neither stale nor recovered', () => {
  const withdrawals = new Withdrawals();
  expect(changesOf(withdrawals, feed('unknown'), feed('ended'), feed('stale', 3))).toEqual([
    [],
    [],
    ['match_stale 3 stale'],
  ]);
  expect(changesOf(withdrawals, feed('ended'), feed('alive'))).toEqual([[], []]);
});

test('an episode that is reported already only ends', () => {
  const reported = new Map([[7, 3]]);
  expect(changesOf(new Withdrawals(reported), feed('expired', 9), feed('alive'))).toEqual([
    [],
    ['match_recovered 3'],
  ]);
});
