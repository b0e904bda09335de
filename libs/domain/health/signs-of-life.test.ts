import { describe, expect, test } from 'vitest';
import { ProviderClock, SignsOfLife } from './signs-of-life.ts';

const T = 1_000_000;
const MAX = 20_000;

/**
 * Reads receipts such as `30/5 31/60`: content received 30 seconds after `T` that is 5 seconds old, then other content; of a
 * negative age, ahead of our clock.
 */
const receiptsOf = (text: string) =>
  text.split(' ').map((receipt) => {
    const [at = 0, age = 0] = receipt.split('/').map(Number);
    return { contentAt: T + (at - age) * 1_000, receivedAt: T + at * 1_000 };
  });

describe('content', () => {
  test.each<[string, receipts: string, { sign: boolean; heard: number; delay: number; late?: string }]>([
    ['is a sign of life from when it was true', '30/5', { sign: true, heard: 25, delay: 5 }],
    ['may be as old as the limit', '30/20', { sign: true, heard: 10, delay: 20 }],
    ['is delayed beyond it', '30/20.001', { sign: false, heard: 9.999, delay: 20.001, late: 'delay' }],
    ['is no sign of life a second time', '30/5 31/6', { sign: false, heard: 25, delay: 5 }],
    ['says nothing after newer one, however old', '30/5 45/600', { sign: false, heard: 25, delay: 5 }],
    ['is delayed in a backlog', '30/60 31/21', { sign: false, heard: 10, delay: 21, late: 'delay' }],
    ['is back with the first that is fresh', '30/60 31/20', { sign: true, heard: 11, delay: 20 }],
    ['repeated, stays as delayed', '30/60 50/80', { sign: false, heard: -30, delay: 60, late: 'delay' }],
    ['is delayed after stale one', '30/5 46/600', { sign: false, heard: 25, delay: 600, late: 'delay' }],
    ['ahead of our clock counts as received then', '30/-20', { sign: true, heard: 30, delay: 0 }],
    ['too far ahead has no age', '30/-21', { sign: false, heard: -T / 1_000, delay: -21, late: 'clock' }],
    ['too far ahead is ignored among other content', '30/0 49/-21', { sign: false, heard: 30, delay: 0 }],
    ['too far ahead has no age', '30/0 50/-21', { sign: false, heard: 30, delay: -21, late: 'clock' }],
  ])('%s', (_, receipts, { sign, heard, delay, late = null }) => {
    const signs = new SignsOfLife(MAX);
    expect(
      receiptsOf(receipts)
        .map((one) => signs.note(one))
        .at(-1),
    ).toBe(sign);
    expect([(signs.heardAt - T) / 1_000, (signs.delay ?? 0) / 1_000]).toEqual([heard, delay]);
    expect(signs.late?.reason ?? null).toBe(late);
  });

  test.each([
    [null, null],
    [MAX, null],
    [MAX + 1, 'delay'],
    [-1, 'clock'],
  ])('that a record has with a delay of %s is late for the reason %s', (delay, reason) => {
    const late = reason === null ? null : { reason, receivedAt: T };
    const signs = new SignsOfLife(MAX, { heardAt: 0, delay, receivedAt: T });
    expect([signs.late, signs.lastAt]).toEqual([late, late?.receivedAt ?? 0]);
  });

  test('is older by as much as the clock of its provider is ahead', () => {
    const signs = new SignsOfLife(MAX);
    expect(receiptsOf('30/15').map((one) => signs.note(one, 6_000))).toEqual([false]);
    expect(signs).toMatchObject({ delay: 21_000, late: { reason: 'delay' } });
  });
});

describe('the clock of a provider', () => {
  const measured = (receipts: string): number => {
    const clock = new ProviderClock();
    for (const one of receiptsOf(receipts)) clock.measure(one, MAX);
    return clock.ahead;
  };

  test('is ahead by the largest lead of its keep-alives, also while they are late', () => {
    expect(measured('0/-7 30/-9 60/40 90/40')).toBe(9_000);
    expect(measured('0/30')).toBe(0);
    expect(measured('0/-20')).toBe(20_000);
    expect(measured('0/-21')).toBe(0);
  });

  test('is measured again after ten to twenty minutes', () => {
    expect(measured('0/-9 600/-2')).toBe(9_000);
    expect(measured('0/-9 600/-2 1200/-1')).toBe(2_000);
    expect(measured('0/-9 1200/-2')).toBe(2_000);
  });
});
