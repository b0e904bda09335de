import { expect, test } from 'vitest';
import type { OperationName } from '#contract/rest/operations.ts';
import type { ReadDelivery } from '#ingestion/delivery.ts';
import type { Raw } from '../provider/tree.ts';
import { EventPublisher } from './events.ts';

/** Returns an event publisher, with the `ut` and the name of each message that it published. */
function eventPublisher() {
  const published: [ut: number, name: unknown][] = [];
  const deliver = async ({ normalized }: ReadDelivery): Promise<void> => {
    for (const { ut, event } of normalized) {
      expect(event?.other ?? {}).not.toHaveProperty('events_incidents');
      published.push([ut, event?.name]);
    }
  };
  const made = new EventPublisher({ deliver }, { unix: () => 0 });
  const publish = (event: Raw, time: number, operation: OperationName = 'livescore.index', final = false) =>
    made.publish([{ id: 9, events_incidents: [], ...event }], { operation, time, final });
  return { published, publish, made };
}

test('publishes an event with its `ut`, and again only when it changes', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50 }, 100);
  await publish({ name: 'a', ut: 50 }, 110);
  await publish({ name: 'a', ut: 60 }, 120);
  await publish({ name: 'b', ut: 70 }, 130);
  expect(published).toEqual([
    [50, 'a'],
    [70, 'b'],
  ]);
});

test('uses the time of the answer when an event has no `ut`', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a' }, 100);
  await publish({ name: 'b' }, 110);
  expect(published).toEqual([
    [100, 'a'],
    [110, 'b'],
  ]);
});

test('uses the time of the answer less the settle margin for a change without a newer `ut`', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50 }, 100);
  await publish({ name: 'b', ut: 50 }, 110);
  // Newer than the record at 50, but older than the last published message.
  await publish({ name: 'c', ut: 60 }, 120);
  expect(published).toEqual([
    [50, 'a'],
    [105, 'b'],
    [115, 'c'],
  ]);
});

test('publishes a second change within one second at a later read', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 100 }, 100);
  await publish({ name: 'b', ut: 100 }, 100);
  await publish({ name: 'b', ut: 100 }, 105);
  await publish({ name: 'b', ut: 100 }, 106);
  expect(published).toEqual([
    [100, 'a'],
    [101, 'b'],
  ]);
});

test('ignores a record that is older than one already read', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'b', ut: 60 }, 100);
  await publish({ name: 'a', ut: 50 }, 110);
  await publish({ name: 'b', ut: 60 }, 120);
  expect(published).toEqual([[60, 'b']]);
});

test('publishes the same record from another list once, and later changes in that list', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50, details: [] }, 100, 'livescore.index');
  await publish({ name: 'a', ut: 50 }, 110, 'events.index');
  await publish({ name: 'a', ut: 50 }, 120, 'events.index');
  await publish({ name: 'b', ut: 50 }, 130, 'events.index');
  expect(published).toEqual([
    [50, 'a'],
    [125, 'b'],
  ]);
});

test('overrides everything older than the answer with a final read', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50 }, 100);
  await publish({ name: 'a', ut: 50 }, 200, 'events.show', true);
  expect(published).toEqual([
    [50, 'a'],
    [195, 'a'],
  ]);
});

test('publishes each change once when reads are concurrent', async () => {
  const { published, made } = eventPublisher();
  const reading = { operation: 'livescore.index', time: 100 } as const;
  await Promise.all([made.publish([{ id: 9, ut: 1 }], reading), made.publish([{ id: 9, ut: 1 }], reading)]);
  expect(published).toHaveLength(1);
});

test('publishes an unchanged event in play of the live board with each answer, unless its clock should have moved', async () => {
  const { published, publish } = eventPublisher();
  const atRest = { name: 'a', ut: 50, status_type: 'live', clock_status: 'stopped', clock_time: 2_700 };
  for (const time of [100, 110]) await publish(atRest, time);
  await publish(atRest, 120, 'events.show');
  const running = { ...atRest, name: 'b', ut: 130, clock_status: 'running' };
  for (const time of [130, 140]) await publish(running, time);
  const untimed = { ...running, name: 'c', ut: 150, clock_time: null };
  for (const time of [150, 160]) await publish(untimed, time);
  const over = { ...atRest, name: 'd', ut: 170, status_type: 'finished' };
  for (const time of [170, 180]) await publish(over, time);
  expect(published).toEqual([
    [50, 'a'],
    [50, 'a'],
    [130, 'b'],
    [150, 'c'],
    [150, 'c'],
    [170, 'd'],
  ]);
});
