/** What the story says of a feed, compared with what readers of the topic knew at each second. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  type Action,
  APPLY,
  BEGIN,
  histories,
  LOOK_MS,
  PlayedMonitor,
  readerLooks,
  report,
  say,
  wait,
} from '#domain/testing/health.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { rounds } from '../../test/support/rounds.ts';
import { feedAt, feedPast } from './course.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Plays a history, and compares the past that its last records tell with what readers believed at each second. */
function compare(history: readonly Action[]): void {
  // A gap is recorded with the second evaluation after it.
  const played = new PlayedMonitor().play(...history, wait(300));
  for (const event of [1, 2]) {
    const records = [...played.topic.values()].filter(
      ({ event_id }) => event_id === null || event_id === event,
    );
    const past = feedPast(records, played.now);
    for (const [at, health] of readerLooks(played.log, played.now)) {
      const { believed } = health.match(event, { wall: at, steady: at });
      // The story may name a change as much earlier or later.
      const told = [at - LOOK_MS, at, at + LOOK_MS].map((time) => feedAt(past, time).believed);
      expect(told, `event ${event} at ${at - BEGIN}`).toContain(believed);
    }
  }
}

describe('the past of a feed by its last records', () => {
  test('is what readers knew at each second, in every history', () => {
    fc.assert(fc.property(histories, compare), { numRuns: rounds(100) });
  });

  test('has the time in which no monitor published', () => {
    const begun = [report('up'), say('play'), APPLY, wait(5_000)];
    const again = [{ kind: 'restart', ms: 9_000 } as const, say('play'), APPLY, wait(3_000)];
    const played = new PlayedMonitor().play(...begun, ...again);
    const past = feedPast([...played.topic.values()], played.now);
    expect(feedAt(past, BEGIN + 10_000)).toEqual({ believed: false, state: 'expired', reason: 'monitor' });
    expect([4_000, 16_000].map((ms) => feedAt(past, BEGIN + ms).believed)).toEqual([true, true]);
  });
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
