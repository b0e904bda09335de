import { expect, test } from 'vitest';
import { createSourceStatus, oneAtATime } from './source-status.ts';

const NOW = 1_790_000_000_000;
test('is up, and reports when the last delivery was accepted', () => {
  const status = createSourceStatus('one', NOW);
  expect(status.report(NOW)).toMatchObject({ source: 'webhook', state: 'up', heard_at: null });
  status.accepted(NOW + 1);
  expect(status.report(NOW + 60_000)).toMatchObject({ state: 'up', reason: null, heard_at: null });
});

test('is down when every signature is wrong and no delivery was accepted for 20 s', () => {
  const status = createSourceStatus('one', NOW);
  for (let times = 0; times < 3; times++) status.forged();
  expect(status.report(NOW + 19_999)).toMatchObject({ state: 'up' });
  expect(status.report(NOW + 20_000)).toMatchObject({ state: 'down', reason: 'credentials' });
  status.accepted(NOW + 20_001);
  expect(status.report(NOW + 20_001)).toMatchObject({ state: 'up' });
});

test('stays up while deliveries are accepted beside forged ones', () => {
  const status = createSourceStatus('one', NOW);
  for (let ms = 0; ms < 60_000; ms += 1_000) {
    status.forged();
    status.accepted(NOW + ms);
    expect(status.report(NOW + ms)).toMatchObject({ state: 'up' });
  }
});

test('reports how far the newest message was ahead of our clock, until messages say otherwise', () => {
  const status = createSourceStatus('one', NOW);
  expect(status.report(NOW)).toMatchObject({ clock: { behind_ms: 0, expired: 0 } });
  status.stored({ read: 3, unreadable: 0 }, 61_000, NOW);
  status.stored({ read: 0, unreadable: 1 }, null, NOW);
  expect(status.report(NOW)).toMatchObject({ state: 'up', clock: { behind_ms: 61_000 } });
  status.stored({ read: 2, unreadable: 0 }, 0, NOW);
  expect(status.report(NOW)).toMatchObject({ clock: { behind_ms: 0 } });
});

test('reports authentic deliveries that had expired since the last accepted one', () => {
  const status = createSourceStatus('one', NOW);
  for (let times = 0; times < 2; times++) status.expired();
  expect(status.report(NOW)).toMatchObject({ clock: { expired: 2 } });
  status.accepted(NOW);
  expect(status.report(NOW)).toMatchObject({ clock: { expired: 0 } });
});

test('reports how many messages were read, and how many were unreadable', () => {
  const status = createSourceStatus('one', NOW);
  status.stored({ read: 3, unreadable: 0 }, 0, NOW);
  status.stored({ read: 0, unreadable: 3 }, null, NOW + 1_000);
  const counts = { messages_read: 3, messages_unreadable: 3, unreadable_in_row: 3 };
  expect(status.report(NOW + 1_000)).toMatchObject({ state: 'up', ...counts });
});

test('is written one at a time, and once more for all that changed meanwhile', async () => {
  const writes: (() => void)[] = [];
  const report = oneAtATime(() => new Promise((resolve) => void writes.push(resolve)));
  const settled = () => new Promise(setImmediate);
  for (let times = 0; times < 3; times++) report();
  await settled();
  for (let times = 0; times < 3; times++) report();
  await settled();
  expect(writes).toHaveLength(1);
  writes[0]?.();
  await settled();
  expect(writes).toHaveLength(2);
});
