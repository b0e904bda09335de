import { describe, expect, test } from 'vitest';
import type { FeedHealth } from '#topics/generated/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { StaleMatches } from './stale-matches.ts';

const record = (state: FeedHealth['state'], since = 1): FeedHealth => ({
  ...sampleOf('feed-health'),
  state,
  since,
  reason: 'silence',
  written_at: since + 500,
});

describe('a match is stale', () => {
  test('where its only source is stale or down, since then', () => {
    const matches = new StaleMatches();
    expect(matches.apply('feed/7', record('alive'))).toBeNull();
    expect(matches.apply('feed/7', record('stale', 5))).toEqual({
      eventId: 7,
      since: 5,
      reasons: ['stale', 'silence'],
      writtenAt: 505,
    });
    expect(matches.apply('feed/7', { ...record('down', 9), reason: null })?.reasons).toEqual(['down']);
  });

  test('where all of its sources are, since the last one, whichever record is repeated', () => {
    const matches = new StaleMatches();
    matches.apply('feed/7', record('alive'));
    expect(matches.apply('webhook/7', record('stale', 5))).toBeNull();
    expect(matches.apply('feed/7', record('stale', 8))?.since).toBe(8);
    expect(matches.apply('webhook/7', record('stale', 5))?.since).toBe(8);
    expect(matches.apply('webhook/7', record('down', 10))?.since).toBe(10);
    expect(matches.apply('feed/7', record('stale', 8))?.since).toBe(10);
  });

  test('not where it is alive, recovering, over or gone, and a source by itself is no match', () => {
    const matches = new StaleMatches();
    expect(matches.apply('feed', record('down'))).toBeNull();
    for (const state of ['recovering', 'recovered', 'ended'] as const)
      expect(matches.apply('feed/7', record(state))).toBeNull();
    expect(matches.apply('webhook/7', record('stale'))).toBeNull();
    expect(matches.apply('feed/7', null)).toBeNull();
    expect(matches.apply('webhook/7', record('stale', 3))?.since).toBe(3);
  });
});
