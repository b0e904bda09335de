import { describe, expect, test } from 'vitest';
import { ProviderClock, SignsOfLife } from './signs-of-life.ts';

const T = 1_000_000;
const MAX = 20_000;

/** Content received at `at`, seconds after `T`, that is `age` seconds old; of a negative age, ahead of our clock. */
type Received = readonly [at: number, age: number];
const receiptOf = ([at, age]: Received) => ({
  contentAt: T + (at - age) * 1_000,
  receivedAt: T + at * 1_000,
});

describe('content', () => {
  test.each<[string, readonly Received[], { isSign: boolean; heard: number; delay: number; late: unknown }]>([
    ['is a sign of life from when it was true', [[30, 5]], { isSign: true, heard: 25, delay: 5, late: null }],
    ['may be as old as the limit', [[30, 20]], { isSign: true, heard: 10, delay: 20, late: null }],
    ['is delayed beyond it', [[30, 20.001]], { isSign: false, heard: 9.999, delay: 20.001, late: 'delay' }],
    [
      'is no sign of life a second time',
      [
        [30, 5],
        [31, 6],
      ],
      { isSign: false, heard: 25, delay: 5, late: null },
    ],
    [
      'says nothing once there is newer one, however old it is',
      [
        [30, 5],
        [31, 600],
      ],
      { isSign: false, heard: 25, delay: 5, late: null },
    ],
    [
      'stays delayed while a backlog is worked off',
      [
        [30, 60],
        [31, 21],
      ],
      { isSign: false, heard: 10, delay: 21, late: 'delay' },
    ],
    [
      'is back with the first that is fresh',
      [
        [30, 60],
        [31, 20],
      ],
      { isSign: true, heard: 11, delay: 20, late: null },
    ],
    [
      'of a repetition stays delayed by what it was',
      [
        [30, 60],
        [50, 80],
      ],
      { isSign: false, heard: -30, delay: 60, late: 'delay' },
    ],
    [
      'is delayed too if there is newer one that is not fresh any more',
      [
        [30, 5],
        [46, 600],
      ],
      { isSign: false, heard: 25, delay: 600, late: 'delay' },
    ],
    [
      'ahead of our clock counts as received then',
      [[30, -20]],
      { isSign: true, heard: 30, delay: 0, late: null },
    ],
    [
      'too far ahead has no age',
      [[30, -21]],
      { isSign: false, heard: -T / 1_000, delay: -21, late: 'clock' },
    ],
    [
      'too far ahead is ignored among other content',
      [
        [30, 0],
        [49, -21],
      ],
      { isSign: false, heard: 30, delay: 0, late: null },
    ],
  ])('%s', (_, received, { isSign, heard, delay, late }) => {
    const signs = new SignsOfLife(MAX);
    expect(received.map((one) => signs.note(receiptOf(one))).at(-1)).toBe(isSign);
    expect([(signs.heardAt - T) / 1_000, (signs.delay ?? 0) / 1_000]).toEqual([heard, delay]);
    expect(signs.late?.reason ?? null).toBe(late);
  });

  test('is older by as much as the clock of its provider is ahead', () => {
    const signs = new SignsOfLife(MAX);
    expect(signs.note(receiptOf([30, 15]), 6_000)).toBe(false);
    expect(signs).toMatchObject({ delay: 21_000, late: { reason: 'delay' } });
  });
});

describe('the clock of a provider', () => {
  const measured = (...received: readonly Received[]): number => {
    const clock = new ProviderClock();
    for (const one of received) clock.measure(receiptOf(one), MAX);
    return clock.ahead;
  };

  test('is ahead by the largest lead of its keep-alives, also while they are late', () => {
    expect(measured([0, -7], [30, -9], [60, 40])).toBe(9_000);
    expect(measured([0, 30])).toBe(0);
    expect(measured([0, -21])).toBe(0);
  });

  test('is measured again after ten to twenty minutes', () => {
    expect(measured([0, -9], [601, -2])).toBe(9_000);
    expect(measured([0, -9], [601, -2], [1_202, -1])).toBe(2_000);
    expect(measured([0, -9], [1_300, -2])).toBe(2_000);
  });
});
