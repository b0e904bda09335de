import { describe, expect, test } from 'vitest';
import { liveMatch, PUBLISHED_AT } from '../testing/matches.ts';
import type { Moment, Word } from './last-word.ts';
import type { BoardMatch } from './match.ts';
import { marks, matchRow, whenCell } from './row.ts';

/** The text of markup. */
function text(markup: unknown): string {
  return String(markup)
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

const at = (now: number, word: Word = 'fresh'): Moment => ({ now, word });

const FINAL = { status_id: 11, status_type: 'finished' } as const;

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
    [
      'a match whose feed is silent',
      { feed: { believed: false, state: 'stale', reason: 'silence' } },
      'Trading halted: feed stale (nothing received) agrees with the provider',
    ],
    [
      'a match that is halted and whose feed is down',
      {
        guard: { safe: false, reasons: ['possible_goal'] },
        feed: { believed: false, state: 'down', reason: 'backlog' },
      },
      'Trading halted: possible goal, feed down (our own delay) agrees with the provider',
    ],
    [
      'a match to come, which no feed speaks of',
      { status_type: 'scheduled', feed: { believed: false, state: 'unknown', reason: null } },
      '',
    ],
    ['a match to come, which has nothing to trade on yet', { status_type: 'scheduled', firm: null }, ''],
    [
      'a match in play without a known score',
      { score: null, firm: null, agreement: 'unknown', reported: null },
      'Trading halted: score unknown no provider score to compare',
    ],
    [
      'a match to come that is halted',
      { status_type: 'scheduled', guard: { safe: false, reasons: ['bet_suspended'] } },
      'Trading halted: provider suspended betting',
    ],
    ['a match that is over, which has no guard', FINAL, 'agrees with the provider'],
    [
      'a match that is over with a guard that is not safe',
      { ...FINAL, guard: { safe: false, reasons: ['game_break'] } },
      'agrees with the provider',
    ],
    [
      'a result that differs',
      { ...FINAL, agreement: 'differs', reported: { home: 2, away: 0 } },
      'provider says 2–0',
    ],
    ['an end after extra time', { ...FINAL, status_id: 14 }, 'after extra time agrees with the provider'],
    [
      'an end after penalties',
      { ...FINAL, status_id: 13, shoot_out: { home: 3, away: 4 } },
      'on pens 3–4 agrees with the provider',
    ],
    [
      'a cancelled match, which has no guard',
      { status_id: 3, status_type: 'cancelled' },
      'agrees with the provider',
    ],
  ];
  test.each(cases)('%s', (_, changes, shown) => expect(text(marks(liveMatch(changes), 'fresh'))).toBe(shown));
});

describe('without a word from the server', () => {
  const shown = (word: Word, changes: Partial<BoardMatch> = {}) =>
    text(matchRow(liveMatch(changes), at(PUBLISHED_AT, word)));

  test('nothing is safe, no clock runs, and the score stays with its time', () => {
    const row = shown('lost');
    expect(row).toContain('Trading halted: no word from the server');
    expect(row).toContain(`as of ${new Date(PUBLISHED_AT * 1000).toISOString().slice(11, 19)}`);
    expect(row).toContain('1–0');
    expect(row).not.toMatch(/Safe|66′/);
  });

  test('a match that is halted keeps its reasons', () => {
    const guard = { safe: false, reasons: ['possible_goal'] };
    expect(shown('lost', { guard })).toContain('Trading halted: possible goal, no word from the server');
    expect(shown('awaited', { guard })).toContain('Trading halted: possible goal');
  });

  test('a match that is not in play is as before', () => {
    expect(shown('lost', FINAL)).toBe(shown('fresh', FINAL));
  });

  test('the page that the server sends says nothing is safe: it may be looked at for long', () => {
    expect(shown('awaited')).toContain('Guard awaits the next update');
    expect(shown('awaited')).not.toContain('Safe');
  });
});

test('an unknown score is a question mark, never 0', () => {
  expect(text(matchRow(liveMatch({ score: null, firm: null }), at(PUBLISHED_AT)))).toContain('Home ?–? Away');
});

test('a finished match shows Final, and how it ended is spoken', () => {
  expect(text(whenCell(liveMatch(FINAL), at(PUBLISHED_AT)))).toBe('Final in regular time, 15 Aug');
  expect(text(whenCell(liveMatch({ ...FINAL, status_id: 13 }), at(PUBLISHED_AT)))).toBe(
    'Final after penalties, 15 Aug',
  );
});

test('a quiet match says so', () => {
  expect(text(whenCell(liveMatch(), at(PUBLISHED_AT + 300)))).toBe('66′ 2nd half, no update for 5 min');
});

test('a name is text, whatever is in it', () => {
  const home = { name: '<script>alert(1)</script>', short_name: null };
  const row = String(matchRow(liveMatch({ home }), at(PUBLISHED_AT)));
  expect(row).not.toContain('<script');
  expect(row).toContain('&lt;script&gt;');
});
