import { expect, test } from 'vitest';
import { wants, withOrder } from './webhooks.ts';

const ALL = { competitions: null, types: null };
const TYPED = { competitions: null, types: new Set(['incident']) };

test.each([
  ['everything but alerts if nothing limits it', ALL, [true, true, true, false]],
  [
    'no message of an unknown competition, or of one outside its contract',
    { ...ALL, competitions: new Set([1]) },
    [true, false, false, false],
  ],
  ['messages of the types that it selects', TYPED, [true, true, false, false]],
  ['alerts if it selects them', { ...ALL, types: new Set(['alert']) }, [false, false, false, true]],
])('a subscription is sent %s', (_, filter, sent) => {
  const messages = [
    { competition_id: 1, type: 'incident' },
    { competition_id: null, type: 'incident' },
    { competition_id: 2, type: 'event' },
    { competition_id: 2, type: 'alert' },
  ];
  expect(messages.map((one) => wants(filter, one))).toEqual(sent);
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
