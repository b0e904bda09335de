import { describe, expect, test } from 'vitest';
import type { WebhookOrder } from '#records/types.ts';
import { moved, offsets, ordered } from './progress.ts';
import { started } from './testing/delivery-world.ts';

const order = (number: number, kind: string, ...next: number[]): WebhookOrder => ({
  number,
  kind,
  next: offsets(next),
});
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
    [
      'to resend never move forward: waiting messages are sent too',
      [order(1, 'resent', 9, 2)],
      { epoch: 1, next: offsets([5, 2]) },
    ],
    [
      'to skip move forward, and do not enable',
      [order(1, 'disabled'), order(2, 'skipped', 1, 9)],
      { epoch: 2, disabled: 'operator', next: offsets([5, 9]), ...RECOVERED },
    ],
  ])('%s', (_, orders, after) => {
    expect(ordered(FAILING, orders, 300)).toMatchObject({ ...after, updated_at: 300 });
  });

  test('are applied once, whatever follows them', () => {
    const orders = [order(1, 'resent', 1, 1), order(2, 'skipped', 3, 3)];
    const after = ordered(FAILING, orders.slice(0, 1), 300);
    const both = ordered(after, orders, 400);
    expect(both).toEqual(ordered(FAILING, orders, 400));
    expect(ordered(both, orders, 500)).toBe(both);
  });
});

test('offsets are combined by partition, in the order of partitions', () => {
  const [zero, one, two] = offsets([4, 5, 6]);
  if (zero === undefined || one === undefined || two === undefined) return expect.fail('no offsets');
  expect(moved([two, zero], [one, { ...zero, offset: 3 }], Math.max)).toEqual([zero, one, two]);
});
