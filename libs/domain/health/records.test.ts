import { describe, expect, test } from 'vitest';
import type { FeedHealth } from '#records/types.ts';
import { eventOf } from '../testing/messages.ts';
import { AppliedPosition, ReadProgress } from './applied.ts';
import { aliveSince, type HealthStatus } from './health-status.ts';
import { MatchTrack, type PairTrack } from './match-track.ts';
import { matchRecord, type PublishedHealth, sourceRecord } from './records.ts';
import { SignsOfLife } from './signs-of-life.ts';
import { SourceTrack } from './source-track.ts';

const T = 1_000_000;
const GAP = { from: 1, to: 2, reason: 'silence', action: 'none', published_from: null, published_to: null };
const BAD: HealthStatus = {
  state: 'recovering',
  reason: 'network',
  since: T - 5,
  progress: { from: 1, to: 3, position: 2 },
  gaps: [GAP],
  gap_count: 7,
};

const SHARED = {
  source: 'webhook',
  state: 'recovering',
  reason: 'network',
  since: T - 5,
  progress: BAD.progress,
  gaps: [GAP],
  gap_count: 7,
  term: 4,
  written_at: T,
};

const SIGNS = () => new SignsOfLife(20_000, { heardAt: T - 9, delay: 1_200, receivedAt: T });

const written = (records: readonly PublishedHealth[]) => records.map(({ key }) => key);

describe('the record of a source', () => {
  const promise = { clockRuns: true, validUntil: T + 1_750 };
  const source = (health = BAD) => new SourceTrack('webhook', health, SIGNS(), new ReadProgress());

  test('says all of it', () => {
    const value = {
      ...SHARED,
      event_id: null,
      heard_at: T - 9,
      delay: 1_200,
      clock_runs: true,
      reports: [],
      keep_alive_at: null,
      valid_until: T + 1_750,
      judged_from: null,
      clock_since: null,
    };
    expect(sourceRecord(4, source(), promise, false, T)).toEqual([{ key: 'webhook', value }]);
  });

  test.each<[string, number, number, boolean, boolean]>([
    ['is written again after half a second', 500, T + 1_750, false, true],
    ['is not written before', 499, T + 1_750, false, false],
    ['is written with records of its matches', 1, T + 1_750, true, true],
    ['is not renewed while it is valid for a second', 400, T + 9_000, false, false],
  ])('%s', (_, after, validUntil, others, again) => {
    const track = source();
    sourceRecord(4, track, promise, false, T);
    expect(sourceRecord(4, track, { ...promise, validUntil }, others, T + after)).toHaveLength(again ? 1 : 0);
  });

  test.each([
    ['is not written again after half a second while no clock runs', 749, 0],
    ['is written again after three quarters of a second while no clock runs', 750, 1],
  ])('%s', (_, after, again) => {
    const track = source();
    const idle = { clockRuns: false, validUntil: T + 9_000 };
    sourceRecord(4, track, idle, false, T);
    expect(sourceRecord(4, track, idle, false, T + after)).toHaveLength(again);
  });

  test.each<[string, number, boolean]>([
    ['is renewed once it is valid for less than a second and may be valid for longer', T + 1_101, true],
    ['is not renewed if its validity would not change', T + 1_100, false],
  ])('%s', (_, validUntil, again) => {
    const track = source();
    sourceRecord(4, track, { ...promise, validUntil: T + 1_100 }, false, T);
    expect(sourceRecord(4, track, { ...promise, validUntil }, false, T + 100)).toHaveLength(0);
    expect(sourceRecord(4, track, { ...promise, validUntil }, false, T + 101)).toHaveLength(again ? 1 : 0);
  });

  test('is written when its status changes, or after `rewrite`', () => {
    const track = source();
    const due = () => written(sourceRecord(4, track, promise, false, T + 1));
    expect([due(), due()]).toEqual([['webhook'], []]);
    track.health = { ...BAD };
    expect([due(), due()]).toEqual([['webhook'], []]);
    track.rewrite();
    expect([due(), due()]).toEqual([['webhook'], []]);
  });
});

describe('the record of a match', () => {
  const REPORTS: FeedHealth['reports'] = [
    { ut: 5, message_id: 12, event: eventOf({ clock_status: 'running', status_type: 'live' }) },
  ];

  function matchOf(health = BAD, changes: Partial<FeedHealth> = {}): { track: MatchTrack; pair: PairTrack } {
    const track = new MatchTrack(7, {
      applied: new AppliedPosition(0, { offset: 0, at: 0 }),
      read: new ReadProgress(),
    });
    const record = {
      source: 'webhook',
      keep_alive_at: T - 3,
      reports: REPORTS,
      judged_from: T - 9,
      clock_since: T - 12,
      ...changes,
    } as FeedHealth;
    track.restore(record, health, SIGNS());
    const pair = track.pairs.get('webhook');
    if (pair === undefined) throw new Error('no pair');
    return { track, pair };
  }

  test('says all of it', () => {
    const { track, pair } = matchOf();
    const value = {
      ...SHARED,
      event_id: 7,
      heard_at: T - 9,
      delay: 1_200,
      clock_runs: true,
      reports: REPORTS,
      keep_alive_at: T - 3,
      valid_until: null,
      judged_from: T - 9,
      clock_since: T - 12,
    };
    expect(matchRecord(4, track, pair, T)).toEqual([{ key: 'webhook/7', value }]);
  });

  test.each<[string, HealthStatus, number, boolean]>([
    ['is written again after a minute', BAD, 60_000, true],
    ['is not written before', BAD, 59_999, false],
    ['is written once when the match ended', { ...aliveSince(1), state: 'ended' }, 60_000, false],
  ])('%s', (_, health, after, again) => {
    const { track, pair } = matchOf(health);
    expect(matchRecord(4, track, pair, T)).toHaveLength(1);
    expect(matchRecord(4, track, pair, T + after)).toHaveLength(again ? 1 : 0);
  });

  test.each<[string, Partial<SignsOfLife>, number, boolean]>([
    ['is written again after a second when the delay differs by a second', { delay: 2_200 }, 1_000, true],
    ['is not written before', { delay: 2_200 }, 999, false],
    ['is not written for less', { delay: 2_199 }, 1_000, false],
    ['is written again for a smaller delay too', { delay: 200 }, 1_000, true],
    ['is written again when content is newer by a second', { heardAt: T + 991 }, 1_000, true],
    ['is not written for content that is hardly newer', { heardAt: T + 990 }, 1_000, false],
  ])('%s', (_, signs, after, again) => {
    const { track, pair } = matchOf();
    matchRecord(4, track, pair, T);
    Object.assign(pair.signs, signs);
    expect(matchRecord(4, track, pair, T + after)).toHaveLength(again ? 1 : 0);
  });

  test('is written when its status or its facts change, or when it must be written', () => {
    const { track, pair } = matchOf();
    const due = () => written(matchRecord(4, track, pair, T + 1));
    expect([due(), due()]).toEqual([['webhook/7'], []]);
    pair.health = { ...BAD };
    expect([due(), due()]).toEqual([['webhook/7'], []]);
    const stopped = [{ ut: 9, message_id: null, event: eventOf({ clock_status: 'stopped' }) }];
    track.restore(
      { source: 'feed', keep_alive_at: null, reports: stopped, clock_since: null } as unknown as FeedHealth,
      BAD,
      SIGNS(),
    );
    expect(track.runsSince).toBe(T - 9);
    expect([due(), due()]).toEqual([['webhook/7'], []]);
    pair.written = null;
    expect([due(), due()]).toEqual([['webhook/7'], []]);
  });

  test('keeps when the first one was written', () => {
    const { track, pair } = matchOf(BAD, { judged_from: null });
    const from = [T, T + 60_000].map((now) => matchRecord(4, track, pair, now)[0]?.value?.judged_from);
    expect(from).toEqual([T, T]);
  });
});
