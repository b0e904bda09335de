import { describe, expect, test } from 'vitest';
import { incidentMinute, playedMinute, renderMinute, SOCCER_CLOCK, SOCCER_LENGTHS } from './clock.ts';

type TimedMatch = Parameters<typeof playedMinute>[0];

const at = (minutes: number, seconds: number) => minutes * 60 + seconds;

test.each([
  { time: at(0, 0), phase: 33, shown: '0' },
  { time: at(0, 1), phase: 33, shown: '1' },
  { time: at(22, 0), phase: 33, shown: '22' },
  { time: at(22, 59), phase: 33, shown: '23' },
  { time: at(44, 1), phase: 33, shown: '45' },
  { time: at(45, 0), phase: 33, shown: '45' },
  { time: at(45, 1), phase: 33, shown: '45+1' },
  { time: at(46, 30), phase: 33, shown: '45+2' },
  { time: at(46, 30), phase: 34, shown: '47' },
  { time: at(90, 0), phase: 34, shown: '90' },
  { time: at(95, 20), phase: 34, shown: '90+6' },
  { time: at(95, 20), phase: 35, shown: '96' },
  { time: at(105, 1), phase: 35, shown: '105+1' },
  { time: at(120, 0), phase: 36, shown: '120' },
  { time: at(122, 0), phase: 36, shown: '120+2' },
  { time: at(120, 0), phase: 141, shown: '120' },
  { time: at(95, 20), phase: null, shown: '96' },
  { time: at(47, 30), phase: 9, shown: '45+3' },
  { time: at(45, 0), phase: 9, shown: '45' },
  { time: at(94, 10), phase: 11, shown: '90+5' },
  { time: at(91, 0), phase: 48, shown: '90+1' },
  { time: at(106, 0), phase: 37, shown: '105+1' },
  { time: at(121, 5), phase: 14, shown: '120+2' },
])('renderMinute (rule 7) renders $time s in phase $phase as $shown', ({ time, phase, shown }) => {
  expect(renderMinute(time, phase)).toBe(shown);
});

test('an incident has a minute where its time is known and its sport has a clock', () => {
  const one = { event_time: at(46, 30), event_status_id: 33 };
  expect(
    [SOCCER_LENGTHS, 'unknown' as const, 'no_clock' as const].map((rule) => incidentMinute(one, rule)),
  ).toEqual(['45+2', '47', null]);
  expect(incidentMinute({ ...one, event_time: null }, SOCCER_LENGTHS)).toBeNull();
});

test('a match with periods of its own shows added time by their lengths', () => {
  const short = { half: 40, extra_half: 10 };
  expect(renderMinute(at(41, 10), 33, short)).toBe('40+2');
  expect(renderMinute(at(81, 0), 34, short)).toBe('80+1');
  expect(renderMinute(at(91, 0), 35, short)).toBe('90+1');
  expect(renderMinute(at(100, 1), 36, short)).toBe('100+1');
  expect(renderMinute(at(42, 0), 9, short)).toBe('40+2');
});

describe('the minute in play', () => {
  const READ_AT = 1_790_000_000;
  /** Ten minutes into a half, as read just now. */
  const match = (changes: Partial<TimedMatch> = {}): TimedMatch => ({
    clock: { time: 600, status: 'running', ut: READ_AT },
    status_id: 34,
    ut: READ_AT,
    received_at: READ_AT * 1000,
    clock_rule: SOCCER_CLOCK,
    ...changes,
  });

  const TWO_HALVES = { ...SOCCER_CLOCK, extra_time: false };
  const SHORT_HALF = {
    clock_rule: { ...SOCCER_CLOCK, lengths: { half: 40, extra_half: 10 } },
    clock: { time: 630, status: 'running', ut: READ_AT },
  };
  test.each<[why: string, shown: string | null, after?: number, changes?: Partial<TimedMatch>]>([
    ['counts the first half', '55'],
    ['advances from the receipt of the last message', '56', 30],
    ['stands still once the match is quiet', '56', 3_600],
    ['never runs back', '55', -3_600],
    ['advances from a message after the reading', '57', 0, { ut: READ_AT + 90 }],
    ['advances from the reading when the message is older', '56', 30, { ut: 0 }],
    ['does not depend on the clock of the provider', '55', 9_000, { received_at: (READ_AT + 9_000) * 1000 }],
    ['is 90 in a shoot-out after two halves', '90', 0, { status_id: 141, clock_rule: TWO_HALVES }],
    ['is 90 at the end, without any reading', '90', 0, { status_id: 11, clock: null }],
    ['counts halves of the event’s own length', '51', 0, SHORT_HALF],
    ['is unknown before the first period', null, 0, { status_id: 1 }],
    ['is unknown when the status is unknown', null, 0, { status_id: null }],
  ])('%s', (_, shown, after = 0, changes = {}) => {
    expect(playedMinute(match(changes), READ_AT + after)).toBe(shown);
  });

  test.each<[why: string, shown: string | null, after?: number, status?: string]>([
    ['is the reported one', '40'],
    ['advances while the clock runs', '41', 30],
    ['stands still while the clock is stopped', '40', 30, 'stopped'],
    ['stands still without a clock', '40', 30, 'none'],
  ])('of another sport %s', (_, shown, after = 0, status = 'running') => {
    const played = { time: 2400, ut: READ_AT };
    const clock_rule = { lengths: 'unknown', extra_time: null, played } as const;
    const clock = status === 'none' ? null : { time: 600, status, ut: READ_AT };
    expect(playedMinute(match({ clock, clock_rule }), READ_AT + after)).toBe(shown);
  });

  test('of another sport is unknown where the provider reports no match time', () => {
    const clock_rule = { lengths: 'unknown', extra_time: null, played: null } as const;
    expect(playedMinute(match({ clock_rule }), READ_AT)).toBeNull();
  });
});
