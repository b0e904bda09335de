import { expect, test } from 'vitest';
import { readDelivery } from './delivery.ts';
import { countsOf, RecentMessages } from './recent-messages.ts';
import { eventMessage } from './testing/messages.ts';

const NOW = 1_790_000_000_000;

test('counts the messages of the last minute', () => {
  const recent = new RecentMessages();
  recent.add({ read: 5, unreadable: 1 }, NOW);
  recent.add({ read: 2, unreadable: 0 }, NOW + 59_999);
  const counts = { messages_read: 7, messages_unreadable: 1, unreadable_in_row: 0 };
  expect(recent.counts(NOW + 59_999)).toEqual(counts);
  expect(recent.counts(NOW + 60_000)).toMatchObject({ messages_read: 2, messages_unreadable: 0 });
});

test('counts unreadable messages in a row until one is read, however long ago they were', () => {
  const recent = new RecentMessages();
  for (const at of [0, 30_000, 120_000]) recent.add({ read: 0, unreadable: 1 }, NOW + at);
  recent.add({ read: 0, unreadable: 0 }, NOW + 121_000);
  const counts = { messages_read: 0, messages_unreadable: 0, unreadable_in_row: 3 };
  expect(recent.counts(NOW + 600_000)).toEqual(counts);
  recent.add({ read: 1, unreadable: 1 }, NOW + 600_000);
  expect(recent.counts(NOW + 600_000)).toMatchObject({ unreadable_in_row: 0 });
});

test('counts a message of a delivery as read or unreadable, its mark as neither', () => {
  const body = Buffer.from(JSON.stringify([eventMessage(), { type: 'unused' }, 17, eventMessage()]));
  const delivery = readDelivery(body, { origin: 'webhook', service: 'webhook-receiver', receivedAt: NOW });
  expect(countsOf(delivery)).toEqual({ read: 2, unreadable: 1 });
  const [message] = delivery.normalized;
  if (message === undefined) throw new Error('no message');
  const mark = { ...message, event: null, unreadable: 'data: expected an object' };
  expect(countsOf({ ...delivery, normalized: [mark] })).toEqual({ read: 0, unreadable: 1 });
});
