import { describe, expect, test } from 'vitest';
import type { Clock } from '#records/types.ts';
import { clockAt, isClockChange, SOCCER_CLOCK } from './clock.ts';
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
