import { describe, expect, test } from 'vitest';
import type { Clock } from '#records/types.ts';
import {
  clockAt,
  extraTimePlayed,
  incidentMinute,
  isClockChange,
  type PeriodLengths,
  periodLengths,
  playedMinute,
  renderMinute,
  SOCCER_CLOCK,
  SOCCER_LENGTHS,
} from './clock.ts';
import { clockRuleOf } from './event-facts.ts';
import { EventRegister } from './event-register.ts';
import { eventOf } from './testing/messages.ts';

const reading = (time: number | null, status: string | null, ut = 1000) => ({ time, status, ut });

describe('the clock', () => {
  test.each<
    [string, Clock | null, status: number | null, clockTime: number | null, playedTime: number | null]
  >([
    ['advances from its reading while running', reading(60, 'running'), 33, 90, 90],
    ['stands still when stopped', reading(60, 'stopped'), 33, 60, 60],
    ['stands still with an unknown status', reading(60, null), 33, 60, 60],
    ['adds the first half to the second', reading(60, 'running'), 34, 90, 2790],
    ['adds both halves to extra time', reading(60, 'running'), 35, 90, 5490],
    ['adds the first half of extra time to the second', reading(60, 'running'), 36, 90, 6390],
    ['continues in added time', reading(2800, 'running'), 33, 2830, 2830],
    ['shows the first half at half-time', reading(0, 'stopped'), 9, 0, 2700],
    ['shows both halves while extra time is awaited', null, 48, null, 5400],
    ['adds the first half of extra time at its half-time', null, 37, null, 6300],
    ['shows both halves at the end of regular time', reading(0, 'stopped'), 11, 0, 5400],
    ['shows extra time at its end', reading(0, 'stopped'), 14, 0, 7200],
    ['has no played time before the first period', null, 1, null, null],
    ['has no played time for an awarded win', reading(0, 'stopped'), 12, 0, null],
    ['is unknown without a reading', reading(null, 'running'), 33, null, null],
    ['has no played time without a status', reading(60, 'running'), null, 90, null],
  ])('%s', (_, clock, status, clockTime, playedTime) => {
    expect(clockAt(clock, status, 1030)).toEqual({ clock_time: clockTime, played_time: playedTime });
  });

  test.each([16, 141, 142, 13])('shows what was played before a shoot-out (status %d)', (status) => {
    const played = (extraTime?: boolean | null) =>
      clockAt(reading(0, 'stopped'), status, 1030, { ...SOCCER_CLOCK, extra_time: extraTime ?? null })
        .played_time;
    expect([played(), played(null), played(true), played(false)]).toEqual([7200, 7200, 7200, 5400]);
  });

  test('shows the reading itself before the time of the reading', () => {
    expect(clockAt(reading(60, 'running'), 33, 990)).toEqual({ clock_time: 60, played_time: 60 });
  });
});

test.each<[news: boolean, why: string, before: Clock | null, after: Clock | null]>([
  [false, 'both are missing', null, null],
  [true, 'it is the first', null, reading(0, 'running')],
  [true, 'it was removed', reading(0, 'running'), null],
  [false, 'it only advanced', reading(60, 'running'), reading(90, 'running', 1030)],
  [false, 'it differs by two seconds', reading(60, 'running'), reading(92, 'running', 1030)],
  [true, 'it is ahead', reading(60, 'running'), reading(93, 'running', 1030)],
  [true, 'it is behind', reading(60, 'running'), reading(87, 'running', 1030)],
  [true, 'it does not run', reading(60, 'running'), reading(60, 'running', 1030)],
  [false, 'it is stopped', reading(60, 'stopped'), reading(60, 'stopped', 1030)],
  [true, 'it was set while stopped', reading(60, 'stopped'), reading(63, 'stopped', 1030)],
  [true, 'it was stopped', reading(60, 'running'), reading(90, 'stopped', 1030)],
  [true, 'its time became known', reading(null, 'running'), reading(0, 'running')],
  [true, 'its time became unknown', reading(0, 'running'), reading(null, 'running')],
  [false, 'its time is still unknown', reading(null, 'running'), reading(null, 'running', 1030)],
])('a clock reading is a change: %s: %s', (news, _, before, after) => {
  expect(isClockChange(before, after)).toBe(news);
});

describe('the clock rule of a match state', () => {
  const rule = (sport_id: number | null, ...messages: [ut: number, fields: Record<string, unknown>][]) =>
    clockRuleOf(
      sport_id,
      EventRegister.restore(
        messages.map(([ut, fields]) => ({ ut, message_id: null, event: eventOf(fields) })),
      ),
    );

  test('of another sport has the reported match time, unless clock or status were reported later', () => {
    const { played } = rule(6, [5, { played_time: 2400, status_id: 34, clock_time: 600 }]);
    expect(played).toEqual({ time: 2400, ut: 5 });
    for (const later of [{ status_id: 9 }, { clock_time: 1 }])
      expect(rule(6, [5, { played_time: 2400 }], [6, later]).played).toBeNull();
    expect(rule(6, [5, { played_time: null }]).played).toBeNull();
    expect(rule(6, [5, { played_time: 2400 }]).lengths).toBe('unknown');
    const without = { lengths: 'no_clock', extra_time: null, played: null };
    expect(rule(2, [5, { played_time: 2400 }])).toEqual(without);
  });

  test('of soccer has the lengths of its periods, and whether extra time was played by either side', () => {
    const results = (value: string) => ({
      participants: [{ counter: 1, id: 1, results: [{ id: 104, value }] }],
    });
    expect(rule(5, [5, results('')], [6, { details: [{ id: 16, value: 40 }], played_time: 9 }])).toEqual({
      lengths: { half: 40, extra_half: 15 },
      extra_time: false,
      played: null,
    });
    expect(rule(null, [5, results('1')], [6, { participants: [{ counter: 2 }] }]).extra_time).toBe(true);
  });
});

describe('extra time', () => {
  const side = (...results: readonly unknown[]) => ({ id: 1, counter: 1, results });
  const empty = side({ id: 134, value: '' });
  test.each<[played: boolean | null, why: string, participants: unknown]>([
    [null, 'no participants are reported', undefined],
    [null, 'no result of extra time is reported', [side({ id: 3, value: 1 })]],
    [false, 'its results are empty', [side({ id: 104, value: '' }, { id: 133, value: null }), empty]],
    [true, 'it ended without a goal', [side({ id: 104, value: '0' })]],
    [true, 'its first half has a result', [empty, side({ id: '133', value: 0 })]],
    [true, 'its second half has one', [side({ id: 134, value: 2 })]],
  ])('%s: %s', (played, _, participants) => {
    expect(extraTimePlayed(eventOf({ participants }).participants)).toBe(played);
  });
});

describe('the lengths of the periods of soccer', () => {
  const detail = (id: number, value: unknown) => ({ id, value });
  test.each<[why: string, lengths: PeriodLengths, details: unknown]>([
    ['none is reported', SOCCER_LENGTHS, undefined],
    ['the usual ones are reported', SOCCER_LENGTHS, [detail(16, 45), detail(50, 15)]],
    ['a half is shorter', { half: 40, extra_half: 15 }, [detail(16, '40'), detail(17, 2)]],
    ['extra time is shorter', { half: 45, extra_half: 10 }, [detail(50, 10)]],
    ['the match has four periods', SOCCER_LENGTHS, [detail(16, 20), detail(17, 4)]],
    ['a length is none', SOCCER_LENGTHS, [detail(16, 0), detail(50, 61)]],
    ['the longest and the shortest', { half: 60, extra_half: 1 }, [detail(16, 60), detail(50, 1)]],
  ])('%s', (_, lengths, given) => {
    const details = eventOf({ details: given }).details ?? [];
    expect(periodLengths(5, details)).toEqual(lengths);
    expect(periodLengths(null, details)).toEqual(lengths);
    const others = [1, 78, 79].map((sport) => periodLengths(sport, details));
    expect(others).toEqual(['unknown', 'no_clock', 'unknown']);
  });
});

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
