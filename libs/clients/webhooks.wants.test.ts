import { describe, expect, test } from 'vitest';
import { wants, withOrder } from './webhooks.ts';

const message = (competition_id: number | null, type = 'incident') => ({ competition_id, type });

describe('a subscription is sent', () => {
  test('everything if neither its contract nor its types limit it', () => {
    const all = { competitions: null, types: null };
    expect([message(1), message(null), message(1, 'event')].every((one) => wants(all, one))).toBe(true);
  });

  test('messages of the competitions in its contract, and none of an unknown competition', () => {
    const some = { competitions: new Set([1, 2]), types: null };
    expect([1, 2, 3, null].map((id) => wants(some, message(id)))).toEqual([true, true, false, false]);
  });

  test('messages of the types that it selects', () => {
    const incidents = { competitions: null, types: new Set(['incident']) };
    expect(['incident', 'event'].map((type) => wants(incidents, message(1, type)))).toEqual([true, false]);
  });

  test('alerts only if it selects them', () => {
    const wanted = [null, new Set(['incident']), new Set(['alert'])].map((types) =>
      wants({ competitions: null, types }, message(1, 'alert')),
    );
    expect(wanted).toEqual([false, false, true]);
  });
});

test('an order gets the next number, and takes the place of those that are applied, up to twenty that wait', () => {
  const order = { kind: 'enabled', next: [] };
  const numbers = (orders: ReturnType<typeof withOrder>) => orders?.map(({ number }) => number);
  const first = withOrder([], 0, order) ?? [];
  const second = withOrder(first, 0, order) ?? [];
  expect([first, second, withOrder(second, 1, order), withOrder(second, 2, order)].map(numbers)).toEqual([
    [1],
    [1, 2],
    [2, 3],
    [3],
  ]);
  const many = Array.from({ length: 20 }, (_, at) => ({ ...order, number: at + 5 }));
  expect([withOrder(many, 4, order), numbers(withOrder(many, 5, order))?.length]).toEqual([null, 20]);
});
