import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { summaryOf } from './summaries.ts';

const state = sampleOf('match-state');

test.each([
  ['raw-messages', 'origin webhook'],
  ['raw-messages', 'body of 12 bytes'],
  ['operator-orders', 'outcome '],
  ['feed-health', 'state '],
  ['normalized-messages', 'incident  5-889947-2  5-889947  Goal (413) 18:14 France tbd'],
  ['match-incidents', 'v12  5-889947  Goal (413) 18:14 France tbd'],
  ['match-state', '1:0  firm 0:0  shoot-out 4:3  live (33)  18:14  guard closed: under_review, game_break'],
  ['match-transitions', '2429281:12:0  score_changed  5-889947  0:0 -> 1:0'],
  ['alerts', 'GOAL  Home - Away  0:0 -> 1:0  A. Griezmann (France) 45+2′'],
  ['dead-letters', 'service webhook-receiver'],
] as const)('summarises a record of %s in one line', (topic, text) => {
  expect(summaryOf(topic, sampleOf(topic))).toContain(text);
});

describe('a match', () => {
  test('shows an unknown score as unknown, not as zero', () => {
    const unknown = { ...state, score: null, firm: null, shoot_out: null };
    expect(summaryOf('match-state', unknown)).toContain('  unknown  live');
  });

  test('shows an open guard, and no firm score equal to the score', () => {
    const safe = { ...state, firm: state.score, shoot_out: null, guard: { safe: true, reasons: [] } };
    expect(summaryOf('match-state', safe)).toBe('v12  France - Croatia  1:0  live (33)  18:14  guard open');
  });

  test('shows no guard when it is over', () => {
    for (const reasons of [[], ['score_differs']]) {
      const over = { ...state, status_type: 'finished', guard: { safe: reasons.length === 0, reasons } };
      expect(summaryOf('match-state', over)).not.toContain('guard');
    }
  });
});
