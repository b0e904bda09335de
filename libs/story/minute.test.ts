import { describe, expect, test } from 'vitest';
import { QUIET_AFTER_SECONDS } from '#domain/clock.ts';
import type { BoardMatch } from './match.ts';
import { dayText, delayWords, durationWords, minuteText, quietFor, timeText, timeWithDay } from './minute.ts';
import { liveMatch, PUBLISHED_AT } from './testing/matches.ts';

// How it advances: libs/domain/clock.test.ts.
describe('the minute', () => {
  test('of a match in play is that of its clock', () => {
    expect(minuteText(liveMatch(), PUBLISHED_AT)).toBe('65′');
    expect(minuteText(liveMatch(), PUBLISHED_AT + 1)).toBe('66′');
  });

  test.each([
    ['half-time', { status_id: 9 }, 'HT'],
    ['a shoot-out', { status_id: 141 }, 'Pens'],
    ['the end', { status_id: 11, status_type: 'finished' }, 'FT'],
    ['the end after extra time', { status_id: 14, status_type: 'finished' }, 'AET'],
    ['the end after penalties', { status_id: 13, status_type: 'finished' }, 'Pens'],
    ['an end with an unknown status', { status_id: 999, status_type: 'finished' }, 'Ended'],
    ['the kick-off to come', { status_id: 1, status_type: 'scheduled' }, '15:00'],
    ['an unknown clock', { clock: null }, ''],
    ['a postponed match', { status_id: 5, status_type: 'scheduled' }, 'Postponed'],
  ])('of %s', (_, changes, shown) => {
    expect(minuteText(liveMatch(changes), PUBLISHED_AT)).toBe(shown);
  });
});

describe('silence', () => {
  test('makes a match quiet when its clock runs and no message arrives', () => {
    expect(quietFor(liveMatch(), PUBLISHED_AT + QUIET_AFTER_SECONDS)).toBeNull();
    expect(quietFor(liveMatch(), PUBLISHED_AT + QUIET_AFTER_SECONDS + 1)).toBe(QUIET_AFTER_SECONDS + 1);
  });

  test.each([
    ['whose clock is stopped', { clock: { time: 0, status: 'stopped', ut: PUBLISHED_AT } }],
    ['that is over', { status_type: 'finished' }],
  ])('makes no match quiet %s', (_, changes) => {
    expect(quietFor(liveMatch(changes), PUBLISHED_AT + 9999)).toBeNull();
  });
});

test('shows the day of matches that are not live, with the year of another one', () => {
  const day = (changes: Partial<BoardMatch>) => dayText(liveMatch(changes), PUBLISHED_AT);
  expect(day({})).toBe('');
  expect(day({ status_type: 'scheduled' })).toBe('15 Aug');
  expect(day({ status_type: 'scheduled', start_date: 'soon' })).toBe('');
  expect(day({ status_type: 'finished', start_date: '2018-06-27 18:00' })).toBe('27 Jun 2018');
});

test('shows times with their day unless it is today', () => {
  const at = Date.UTC(2026, 10, 27, 23, 30, 5) / 1000;
  expect(timeText(at)).toBe('23:30:05');
  expect(timeWithDay(at, at + 3_600)).toBe('27 Nov 23:30:05');
  expect(timeWithDay(at, at + 366 * 86_400)).toBe('27 Nov 2026 23:30:05');
  expect(timeWithDay(at, at + 60)).toBe('23:30:05');
});

test.each([
  [400, '0.4 s'],
  [9_940, '9.9 s'],
  [75_400, '75 s'],
  [600_000, '10 min'],
  [3_087 * 86_400_000, 'over a week: loaded or played later'],
  [-1_200, '2 s early: the provider’s clock is ahead'],
])('renders a delay of %d ms as %s', (delay, words) => expect(delayWords(delay)).toBe(words));

test.each([
  [61, '61 s'],
  [180, '3 min'],
  [7200, '2 h'],
  [400_000, '4 days'],
])('renders %d seconds as %s', (seconds, words) => expect(durationWords(seconds)).toBe(words));
