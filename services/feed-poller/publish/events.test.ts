import { expect, test } from 'vitest';
import type { OperationName } from '#contract/rest/operations.ts';
import type { ReadDelivery } from '#ingestion/delivery.ts';
import type { Raw } from '../provider/tree.ts';
import { createEventPublisher } from './events.ts';

/** Returns an event publisher, and the `ut` and the name of each message that it published: `50a`. */
function eventPublisher() {
  const published: string[] = [];
  const deliver = async ({ normalized }: ReadDelivery): Promise<void> => {
    for (const { ut, event } of normalized) {
      expect(event?.other ?? {}).not.toHaveProperty('events_incidents');
      published.push(`${ut}${event?.name}`);
    }
  };
  const made = createEventPublisher({ deliver }, { unix: () => 0 });
  const publish = (event: Raw, time: number, operation: OperationName = 'livescore.index', final = false) =>
    made.publish([{ id: 9, events_incidents: [], ...event }], { operation, time, final });
  return { published, publish, made };
}

// `a50@100`: the event with the name a and the `ut` 50, read at 100.
test.each([
  ['an event with its `ut`, and again only when it changes', 'a50@100 a50@110 a60@120 b70@130', '50a 70b'],
  ['an event without `ut` with the time of the answer', 'a@100 b@110', '100a 110b'],
  // The last is newer than the record at 50, but older than the last published message.
  ['a change without a newer `ut` as of the settle margin', 'a50@100 b50@110 c60@120', '50a 105b 115c'],
  ['a second change within one second at a later read', 'a100@100 b100@100 b100@105 b100@106', '100a 101b'],
  ['no record that is older than one already read', 'b60@100 a50@110 b60@120', '60b'],
])('publishes %s', async (_, reads, messages) => {
  const { published, publish } = eventPublisher();
  for (const [, name, ut, time] of reads.matchAll(/([abc])(\d*)@(\d+)/g))
    await publish({ name, ...(ut !== '' && { ut: Number(ut) }) }, Number(time));
  expect(published.join(' ')).toBe(messages);
});

test('publishes the same record from another list once, and later changes in that list', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50, details: [] }, 100, 'livescore.index');
  await publish({ name: 'a', ut: 50 }, 110, 'events.index');
  await publish({ name: 'a', ut: 50 }, 120, 'events.index');
  await publish({ name: 'b', ut: 50 }, 130, 'events.index');
  expect(published).toEqual(['50a', '125b']);
});

test('overrides everything older than the answer with a final read', async () => {
  const { published, publish } = eventPublisher();
  await publish({ name: 'a', ut: 50 }, 100);
  await publish({ name: 'a', ut: 50 }, 200, 'events.show', true);
  expect(published).toEqual(['50a', '195a']);
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
  expect(published).toEqual(['50a', '50a', '130b', '150c', '150c', '170d']);
});
