/** The past of a feed by its last records; services/api/board/course.test.ts compares it with what readers knew at each second. */
import { expect, test } from 'vitest';
import { APPLY, BEGIN, PlayedMonitor, report, say, wait } from '#domain/testing/health.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { feedAt, feedPast } from './course.ts';

test('has the time in which no monitor published', () => {
  const begun = [report('up'), say('play'), APPLY, wait(5_000)];
  const again = [{ kind: 'restart', ms: 9_000 } as const, say('play'), APPLY, wait(3_000)];
  const played = new PlayedMonitor().play(...begun, ...again);
  const past = feedPast([...played.topic.values()], played.now);
  expect(feedAt(past, BEGIN + 10_000)).toEqual({ believed: false, state: 'expired', reason: 'monitor' });
  expect([4_000, 16_000].map((ms) => feedAt(past, BEGIN + ms).believed)).toEqual([true, true]);
});

test('is unknown before the gaps that are kept, and where nothing was recorded', () => {
  const of = { ...sampleOf('feed-health'), event_id: null, state: 'alive' as const };
  const source = { ...of, gaps: [], gap_count: 0 };
  const published = { published_from: null, published_to: null };
  const gap = { from: 50, to: 60, reason: 'silence', action: 'none', ...published };
  const match = { ...source, event_id: 7, judged_from: 10, gaps: [gap], gap_count: 101 };
  const past = feedPast([{ ...source, valid_until: 1_000 }, match], 900);
  const unknown = { believed: false, state: 'unknown', reason: null };
  const looked = [20, 55, 70].map((at) => feedAt(past, at));
  expect(looked).toMatchObject([unknown, { state: 'stale' }, { believed: true }]);
  expect(feedAt([], 5)).toEqual(unknown);
  expect(feedAt(feedPast([match], 900), match.written_at)).toEqual(unknown);
});
