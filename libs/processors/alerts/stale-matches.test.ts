import { expect, test } from 'vitest';
import type { TradingHalt } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import { type HandHalts, NO_HALTS } from '#trading/halts.ts';
import { KnownMatches } from './known-matches.ts';
import { parseRules } from './rules.ts';
import { findAlerts, watchEpisodes } from './stale-alerts.ts';
import { episodeKey, type MatchNow, StaleMatches } from './stale-matches.ts';

const feed = (
  state: FeedStatus['state'],
  since = 1,
  reason: string | null = null,
  delay: number | null = null,
) => {
  const believed = state === 'alive' || state === 'recovered';
  return { believed, state, reason, since, delay, source: 'feed' };
};

function changeOf(matches: StaleMatches, one: FeedStatus, halts: MatchNow['halts'] = NO_HALTS): string[] {
  const changes = matches.changes([{ eventId: 7, feed: one, halts }]);
  return changes.map(({ kind, since, reasons }) => [kind, since, ...reasons].join(' '));
}

/** Returns the changes of match 7 for a sequence of feed statuses. */
function changesOf(matches: StaleMatches, ...feeds: readonly FeedStatus[]): string[][] {
  return feeds.map((one) => changeOf(matches, one));
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
  const reported = new Map([[episodeKey('match_stale', 7), 3]]);
  expect(changesOf(new StaleMatches(reported), feed('expired', 9), feed('alive'))).toEqual([
    [],
    ['match_recovered 3'],
  ]);
});

test('begins and ends an episode of a halt by hand, and says what still is against trading', () => {
  const matches = new StaleMatches();
  const order = { at: 4, user: 'anna', host: 'desk-1', reason: 'stream is late' };
  const halt = { ...sampleOf('trading-halts'), orders: [{ action: 'halt', until: null, order }] };
  const halted: HandHalts<TradingHalt> = { isRead: true, standing: [halt] };
  const at = (halts: MatchNow['halts'], state: FeedStatus['state']) =>
    changeOf(matches, feed(state, 9), halts);
  expect(at(halted, 'alive')).toEqual(['match_halted 4 by anna stream is late']);
  expect(at({ ...halted, isRead: false, standing: [] }, 'alive')).toEqual([]);
  expect(at(halted, 'stale')).toEqual(['match_stale 9 stale']);
  expect(at(halted, 'alive')).toEqual(['match_recovered 9 halted_by_hand']);
  expect(at(halted, 'stale')).toEqual(['match_stale 9 stale']);
  expect(at(NO_HALTS, 'stale')).toEqual(['match_resumed 4 feed_stale']);
});

test('finds a match stale for the rules whose limits its feed exceeds, and ends what they reported', () => {
  const on = ['match_stale', 'match_recovered'];
  const strict = { name: 'strict', on, maxDelaySeconds: 5 };
  const rules = parseRules(JSON.stringify({ rules: [{ name: 'all', on }, strict] }));
  const matches = new KnownMatches();
  const now = Date.now();
  const health = { ...sampleOf('feed-health'), state: 'alive', written_at: now, since: now } as const;
  const report = (delay: number) => {
    const at = performance.now();
    matches.health.apply('feed', { ...health, event_id: null, valid_until: now + 60_000 }, at);
    matches.health.apply('feed/7', { ...health, event_id: 7, valid_until: null, heard_at: now, delay }, at);
  };
  const found = (watched: ReturnType<typeof watchEpisodes>) =>
    findAlerts({ matches, maxAgeMs: 60_000 }, watched).map(({ rule, kind }) => `${rule} ${kind}`);
  report(9_000);
  const watched = watchEpisodes(rules);
  expect([found(watched), found(watched)]).toEqual([['strict match_stale'], []]);
  report(4_000);
  expect(found(watched)).toEqual(['strict match_recovered']);
  // As restored from the topic of alerts.
  const open = new Map([[episodeKey('match_stale', 7), now]]);
  expect(found(watchEpisodes(rules, new Map([['strict', open]])))).toEqual(['strict match_recovered']);
});
