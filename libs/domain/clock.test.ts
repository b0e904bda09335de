import { describe, expect, test } from 'vitest';
import { clockAt, isClockChange } from './clock.ts';

const reading = (time: number | null, status: string | null, ut = 1000) => ({ time, status, ut });

describe('the clock', () => {
  test.each([
    {
      why: 'advances from its reading while running',
      clock: reading(60, 'running'),
      status: 33,
      clock_time: 90,
      played_time: 90,
    },
    {
      why: 'stands still when stopped',
      clock: reading(60, 'stopped'),
      status: 33,
      clock_time: 60,
      played_time: 60,
    },
    {
      why: 'stands still with an unknown status',
      clock: reading(60, null),
      status: 33,
      clock_time: 60,
      played_time: 60,
    },
    {
      why: 'adds the first half to the second',
      clock: reading(60, 'running'),
      status: 34,
      clock_time: 90,
      played_time: 2790,
    },
    {
      why: 'adds both halves to extra time',
      clock: reading(60, 'running'),
      status: 35,
      clock_time: 90,
      played_time: 5490,
    },
    {
      why: 'adds the first half of extra time to the second',
      clock: reading(60, 'running'),
      status: 36,
      clock_time: 90,
      played_time: 6390,
    },
    {
      why: 'continues in added time',
      clock: reading(2800, 'running'),
      status: 33,
      clock_time: 2830,
      played_time: 2830,
    },
    {
      why: 'shows the first half at half-time',
      clock: reading(0, 'stopped'),
      status: 9,
      clock_time: 0,
      played_time: 2700,
    },
    {
      why: 'shows both halves while extra time is awaited',
      clock: null,
      status: 48,
      clock_time: null,
      played_time: 5400,
    },
    {
      why: 'adds the first half of extra time at its half-time',
      clock: null,
      status: 37,
      clock_time: null,
      played_time: 6300,
    },
    {
      why: 'shows both halves at the end of regular time',
      clock: reading(0, 'stopped'),
      status: 11,
      clock_time: 0,
      played_time: 5400,
    },
    {
      why: 'shows extra time at its end',
      clock: reading(0, 'stopped'),
      status: 14,
      clock_time: 0,
      played_time: 7200,
    },
    {
      why: 'has no played time before the first period',
      clock: null,
      status: 1,
      clock_time: null,
      played_time: null,
    },
    {
      why: 'has no played time for an awarded win',
      clock: reading(0, 'stopped'),
      status: 12,
      clock_time: 0,
      played_time: null,
    },
    {
      why: 'is unknown without a reading',
      clock: reading(null, 'running'),
      status: 33,
      clock_time: null,
      played_time: null,
    },
    {
      why: 'has no played time without a status',
      clock: reading(60, 'running'),
      status: null,
      clock_time: 90,
      played_time: null,
    },
  ])('$why', ({ clock, status, clock_time, played_time }) => {
    expect(clockAt(clock, status, 1030)).toEqual({ clock_time, played_time });
  });

  test.each([16, 141, 142, 13])('shows what was played before a shoot-out (status %d)', (status) => {
    const played = (extraTime?: boolean | null) =>
      clockAt(reading(0, 'stopped'), status, 1030, extraTime).played_time;
    expect([played(), played(null), played(true), played(false)]).toEqual([7200, 7200, 7200, 5400]);
  });

  test('shows the reading itself before the time of the reading', () => {
    expect(clockAt(reading(60, 'running'), 33, 990)).toEqual({ clock_time: 60, played_time: 60 });
  });
});

describe('a clock reading is a change', () => {
  test.each([
    { news: false, why: 'both are missing', before: null, after: null },
    { news: true, why: 'it is the first', before: null, after: reading(0, 'running') },
    { news: true, why: 'it was removed', before: reading(0, 'running'), after: null },
    {
      news: false,
      why: 'it only advanced',
      before: reading(60, 'running'),
      after: reading(90, 'running', 1030),
    },
    {
      news: false,
      why: 'it differs by two seconds',
      before: reading(60, 'running'),
      after: reading(92, 'running', 1030),
    },
    { news: true, why: 'it is ahead', before: reading(60, 'running'), after: reading(93, 'running', 1030) },
    { news: true, why: 'it is behind', before: reading(60, 'running'), after: reading(87, 'running', 1030) },
    {
      news: true,
      why: 'it does not run',
      before: reading(60, 'running'),
      after: reading(60, 'running', 1030),
    },
    {
      news: false,
      why: 'it is stopped',
      before: reading(60, 'stopped'),
      after: reading(60, 'stopped', 1030),
    },
    {
      news: true,
      why: 'it was set while stopped',
      before: reading(60, 'stopped'),
      after: reading(63, 'stopped', 1030),
    },
    {
      news: true,
      why: 'it was stopped',
      before: reading(60, 'running'),
      after: reading(90, 'stopped', 1030),
    },
    {
      news: true,
      why: 'its time became known',
      before: reading(null, 'running'),
      after: reading(0, 'running'),
    },
    {
      news: true,
      why: 'its time became unknown',
      before: reading(0, 'running'),
      after: reading(null, 'running'),
    },
    {
      news: false,
      why: 'its time is still unknown',
      before: reading(null, 'running'),
      after: reading(null, 'running', 1030),
    },
  ])('$news: $why', ({ news, before, after }) => {
    expect(isClockChange(before, after)).toBe(news);
  });
});
