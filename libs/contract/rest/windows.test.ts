import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from './errors.ts';
import { dateWindow, feedWindow, formatDate, openDates, parseDate } from './parameters.ts';

/** 2026-09-21 14:13:20 UTC. */
const NOW = 1_790_000_000;
const DAY = 86_400;

describe('a window of dates', () => {
  test.each([
    [{}, '2026-09-21 00:00:00', '2026-09-21 23:59:59'],
    [{ date_from: '2026-09-01' }, '2026-09-01 00:00:00', '2026-09-01 23:59:59'],
    [{ date_from: '2026-09-01 10:00' }, '2026-09-01 10:00:00', '2026-09-01 23:59:59'],
    [{ date_to: '2026-09-01 10:00' }, '2026-09-01 00:00:00', '2026-09-01 10:00:59'],
    [{ date_from: '2026-09-01', date_to: '2026-10-01' }, '2026-09-01 00:00:00', '2026-10-01 23:59:59'],
    [
      { date_from: '2026-09-01 12:00:00', date_to: '2026-09-01 12:00:00' },
      '2026-09-01 12:00:00',
      '2026-09-01 12:00:00',
    ],
  ])('of %j is from %s to %s', (dates, date_from, date_to) => {
    expect(dateWindow(dates, NOW)).toEqual({ date_from, date_to });
  });

  test.each([
    ['wider than 31 days', { date_from: '2026-09-01', date_to: '2026-10-02' }],
    ['31 days and a second wide', { date_from: '2026-09-01', date_to: '2026-10-02 00:00:00' }],
    ['backwards', { date_from: '2026-09-02', date_to: '2026-09-01' }],
  ])('is rejected when %s', (_why, dates) => {
    expect(() => dateWindow(dates, NOW)).toThrow(RestError);
  });

  test('has no end if another filter narrows the list, but is never backwards', () => {
    expect(openDates({})).toEqual({ date_from: undefined, date_to: undefined });
    expect(openDates({ date_from: '2018-08-01', date_to: '2019-06-30' })).toEqual({
      date_from: '2018-08-01 00:00:00',
      date_to: '2019-06-30 23:59:59',
    });
    expect(() => openDates({ date_from: '2026-09-02', date_to: '2026-09-01' })).toThrow(RestError);
  });

  test('includes now at any time, and dates survive a round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_147_483_647 }), (now) => {
        const { date_from, date_to } = dateWindow({}, now);
        expect(parseDate(date_from)).toBeLessThanOrEqual(now);
        expect(parseDate(date_to)).toBeGreaterThanOrEqual(now);
        expect(parseDate(formatDate(now))).toBe(now);
      }),
    );
  });
});

describe('a window of the feed', () => {
  test.each([
    [{}, NOW - DAY, NOW],
    [{ timestamp: NOW - 10 }, NOW - 10, NOW],
    [{ timestamp: NOW }, NOW, NOW],
    [{ timestamp: NOW + 5 }, NOW + 5, NOW + 5],
    [{ timestamp: NOW - 60 * DAY }, NOW - 60 * DAY, NOW - 29 * DAY],
    [{ timestamp_to: NOW - 10 }, NOW - 10 - DAY, NOW - 10],
    [{ timestamp_to: 10 }, 0, 10],
    [{ timestamp: 5, timestamp_to: 5 }, 5, 5],
    [{ timestamp: NOW - 31 * DAY, timestamp_to: NOW }, NOW - 31 * DAY, NOW],
  ])('of %j is from %d to %d', (window, timestamp, timestamp_to) => {
    expect(feedWindow(window, NOW)).toEqual({ timestamp, timestamp_to });
  });

  test.each([
    ['backwards', { timestamp: NOW, timestamp_to: NOW - 1 }],
    ['wider than 31 days', { timestamp: NOW - 31 * DAY - 1, timestamp_to: NOW }],
  ])('is rejected when %s', (_why, window) => {
    expect(() => feedWindow(window, NOW)).toThrow(RestError);
  });
});
