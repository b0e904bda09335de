import { describe, expect, test } from 'vitest';
import { liveMatch, TOLD_AT } from '../testing/matches.ts';
import type { BoardMatch } from './match.ts';
import { marks, matchRow, whenCell } from './row.ts';

/** What a reader is told, without the markup. */
function text(markup: unknown): string {
  return String(markup)
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('marks', () => {
  const cases: readonly (readonly [string, Partial<BoardMatch>, string])[] = [
    ['a match that is safe', {}, 'Safe to trade agrees with the provider'],
    [
      'a goal under review, with the firm score',
      { under_review: true, firm: { home: 0, away: 0 }, guard: { safe: false, reasons: ['under_review'] } },
      'Under review firm 0–0 Trading halted agrees with the provider',
    ],
    [
      'every reason of the guard, in words',
      { guard: { safe: false, reasons: ['possible_var', 'bet_suspended', 'new_reason'] } },
      'Trading halted: video review, provider suspended betting, new reason agrees with the provider',
    ],
    [
      'a score that differs',
      {
        agreement: 'differs',
        reported: { home: 2, away: 0 },
        guard: { safe: false, reasons: ['score_differs'] },
      },
      'Trading halted provider says 2–0',
    ],
    [
      'no score to compare with',
      { agreement: 'unknown', reported: null },
      'Safe to trade no provider score to compare',
    ],
    [
      'a shoot-out',
      { status_id: 141, shoot_out: { home: 3, away: 4 } },
      'pens 3–4 Safe to trade agrees with the provider',
    ],
    ['nothing of one to come', { status_type: 'scheduled' }, ''],
  ];
  test.each(cases)('%s', (_, changes, shown) => expect(text(marks(liveMatch(changes)))).toBe(shown));
});

test('an unknown score is a question mark, never 0', () => {
  expect(text(matchRow(liveMatch({ score: null, firm: null }), TOLD_AT))).toContain('Home ?–? Away');
});

test('a quiet match says so', () => {
  expect(text(whenCell(liveMatch(), TOLD_AT + 300))).toBe('66′ 2nd half, no news 5 min');
});

test('a name is text, whatever is in it', () => {
  const home = { name: '<script>alert(1)</script>', short_name: null };
  const row = String(matchRow(liveMatch({ home }), TOLD_AT));
  expect(row).not.toContain('<script');
  expect(row).toContain('&lt;script&gt;');
});
