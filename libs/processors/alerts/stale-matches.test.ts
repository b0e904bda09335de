import { expect, test } from 'vitest';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { StaleMatches } from './stale-matches.ts';

const feed = (
  state: FeedStatus['state'],
  since = 1,
  reason: string | null = null,
  delay: number | null = null,
): FeedStatus => ({
  believed: state === 'alive' || state === 'recovered',
  state,
  reason,
  since,
  delay,
  source: 'feed',
});

/** Returns the changes of match 7 for a sequence of feed statuses. */
function changesOf(staleMatches: StaleMatches, ...feeds: readonly FeedStatus[]): string[][] {
  return feeds.map((one) =>
    staleMatches.changes([[7, one]]).map(({ kind, since, reasons }) => [kind, since, ...reasons].join(' ')),
  );
}

test('begins an episode once, however its reasons change, and ends it once', () => {
  const feeds = [
    feed('alive'),
    feed('expired', 5),
    feed('expired', 6),
    feed('stale', 9, 'silence'),
    feed('recovering', 12, 'silence'),
    feed('recovered', 15),
    feed('alive', 75),
    feed('delayed', 80, 'delay', 45_200),
  ];
  expect(changesOf(new StaleMatches(), ...feeds)).toEqual([
    [],
    ['match_stale 5 expired'],
    [],
    [],
    [],
    ['match_recovered 5'],
    [],
    ['match_stale 80 delayed delay 45 s'],
  ]);
});

test('reports no change of a match that is over or has no record', () => {
  const staleMatches = new StaleMatches();
  expect(changesOf(staleMatches, feed('unknown'), feed('ended'), feed('stale', 3))).toEqual([
    [],
    [],
    ['match_stale 3 stale'],
  ]);
  expect(changesOf(staleMatches, feed('ended'), feed('alive'))).toEqual([[], []]);
});

test('only ends an episode that is already reported', () => {
  const reported = new Map([[7, 3]]);
  expect(changesOf(new StaleMatches(reported), feed('expired', 9), feed('alive'))).toEqual([
    [],
    ['match_recovered 3'],
  ]);
});
