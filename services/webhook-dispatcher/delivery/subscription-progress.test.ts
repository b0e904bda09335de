import { describe, expect, test } from 'vitest';

import { delaysInPlay, moved, offsets, ordered, retryDelayMs } from './subscription-progress.ts';
import { started } from './testing/delivery-world.ts';

const DELAYS_MS = [1_000, 5_000, 60_000];

describe('the delay before the next attempt', () => {
  test.each([
    [1, 1_000],
    [2, 5_000],
    [3, 60_000],
    [4, 60_000],
    [100, 60_000],
  ])('after %i failed attempts is that of the schedule', (attempts, delay) => {
    expect(retryDelayMs(DELAYS_MS, attempts, null, 0.5)).toBe(delay);
  });

  test('in play is some seconds for a minute, and then that of the schedule', () => {
    const contract = [1, 5, 8, 30, 120, 300].map((seconds) => seconds * 1_000);
    const inPlay = [1, 2, 4, 4, 4, 4, 10, 20, 30, 120, 300].map((seconds) => seconds * 1_000);
    expect(delaysInPlay(contract)).toEqual(inPlay);
    // None is longer than the schedule has it.
    expect(delaysInPlay([20, 50])).toEqual([20, 50, ...inPlay.slice(2, 8)]);
  });

  test('is up to a fifth shorter or longer', () => {
    expect(retryDelayMs(DELAYS_MS, 2, null, 0)).toBe(4_000);
    expect(retryDelayMs(DELAYS_MS, 2, null, 1)).toBe(6_000);
  });

  test('is at least the answer’s Retry-After, up to the limit', () => {
    expect(retryDelayMs(DELAYS_MS, 1, 30_000, 0.5)).toBe(30_000);
    expect(retryDelayMs(DELAYS_MS, 3, 30_000, 0.5)).toBe(60_000);
    expect(retryDelayMs(DELAYS_MS, 1, 86_400_000, 0.5)).toBe(3_600_000);
  });
});

const order = (number: number, kind: string, ...next: number[]) => ({ number, kind, next: offsets(next) });
const FAILING = { ...started(5, 7), attempts: 3, failing_since: 90, next_attempt_at: 200 };
const RECOVERED = { attempts: 0, failing_since: null, next_attempt_at: null };

describe('orders', () => {
  test.each([
    [
      'to disable keep since when it fails',
      [order(1, 'disabled')],
      { epoch: 1, disabled: 'operator', failing_since: 90, attempts: 0, next: offsets([5, 7]) },
    ],
    [
      'to disable and enable continue at the same offset, without the failed attempts',
      [order(1, 'disabled'), order(2, 'enabled')],
      { epoch: 2, disabled: null, ...RECOVERED, next: offsets([5, 7]) },
    ],
    [
      'to resend move back, and enable',
      [order(1, 'disabled'), order(2, 'resent', 1, 2)],
      { epoch: 2, disabled: null, next: offsets([1, 2]) },
    ],
    ['to resend never move forward', [order(1, 'resent', 9, 2)], { epoch: 1, next: offsets([5, 2]) }],
    [
      'to skip move forward, and do not enable',
      [order(1, 'disabled'), order(2, 'skipped', 1, 9)],
      { epoch: 2, disabled: 'operator', next: offsets([5, 9]), ...RECOVERED },
    ],
  ])('%s', (_, orders, after) => {
    expect(ordered(FAILING, orders)).toMatchObject(after);
  });

  test('are applied once, whatever follows them', () => {
    const orders = [order(1, 'resent', 1, 1), order(2, 'skipped', 3, 3)];
    const both = ordered(ordered(FAILING, orders.slice(0, 1)), orders);
    expect(both).toEqual(ordered(FAILING, orders));
    expect(ordered(both, orders)).toBe(both);
  });
});

test('offsets are combined by partition, in the order of partitions', () => {
  const [zero, one, two] = offsets([4, 5, 6]);
  if (zero === undefined || one === undefined || two === undefined) return expect.fail('no offsets');
  expect(moved([two, zero], [one, { ...zero, offset: 3 }], Math.max)).toEqual([zero, one, two]);
});
