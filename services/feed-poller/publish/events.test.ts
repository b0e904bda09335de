import { expect, test } from 'vitest';
import type { Delivery } from '#ingestion/delivery.ts';
import type { Raw } from '../provider/tree.ts';
import { type EventSource, EventTeller } from './events.ts';

/** A teller, and what it has told: `ut` and name of each message. */
function teller() {
  const told: [ut: number, name: unknown][] = [];
  const deliver = async ({ normalized }: Delivery): Promise<void> => {
    for (const { ut, event_fields } of normalized) {
      const fields = Object.assign({}, ...event_fields.map((part) => JSON.parse(part) as Raw)) as Raw;
      expect(fields).not.toHaveProperty('events_incidents');
      told.push([ut, fields.name]);
    }
  };
  const made = new EventTeller({ deliver }, { unix: () => 0 });
  const tell = (event: Raw, time: number, source: EventSource = 'livescore', final = false) =>
    made.tell([{ id: 9, events_incidents: [], ...event }], { source, time, final });
  return { told, tell, made };
}

test('tells an event with its own time, and again only when it changed', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a', ut: 50 }, 100);
  await tell({ name: 'a', ut: 50 }, 110);
  await tell({ name: 'a', ut: 60 }, 120);
  await tell({ name: 'b', ut: 70 }, 130);
  expect(told).toEqual([
    [50, 'a'],
    [70, 'b'],
  ]);
});

test('an event without a time has that of the answer', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a' }, 100);
  await tell({ name: 'b' }, 110);
  expect(told).toEqual([
    [100, 'a'],
    [110, 'b'],
  ]);
});

test('a change whose time did not rise above what was told has that of the answer, less the margin', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a', ut: 50 }, 100);
  await tell({ name: 'b', ut: 50 }, 110);
  // Written after 50 and before what was told last.
  await tell({ name: 'c', ut: 60 }, 120);
  expect(told).toEqual([
    [50, 'a'],
    [105, 'b'],
    [115, 'c'],
  ]);
});

test('a change within the second that was told is told by the next reading', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a', ut: 100 }, 100);
  await tell({ name: 'b', ut: 100 }, 100);
  await tell({ name: 'b', ut: 100 }, 105);
  await tell({ name: 'b', ut: 100 }, 106);
  expect(told).toEqual([
    [100, 'a'],
    [101, 'b'],
  ]);
});

test('a record that is older than one that was read is out of a cache', async () => {
  const { told, tell } = teller();
  await tell({ name: 'b', ut: 60 }, 100);
  await tell({ name: 'a', ut: 50 }, 110);
  await tell({ name: 'b', ut: 60 }, 120);
  expect(told).toEqual([[60, 'b']]);
});

test('the same record in the shape of another list is not told again, a change in that list is', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a', ut: 50, details: [] }, 100, 'livescore');
  await tell({ name: 'a', ut: 50 }, 110, 'schedule');
  await tell({ name: 'a', ut: 50 }, 120, 'schedule');
  await tell({ name: 'b', ut: 50 }, 130, 'schedule');
  expect(told).toEqual([
    [50, 'a'],
    [125, 'b'],
  ]);
});

test('what is asked for to settle an event goes over everything older than the answer', async () => {
  const { told, tell } = teller();
  await tell({ name: 'a', ut: 50 }, 100);
  await tell({ name: 'a', ut: 50 }, 200, 'show', true);
  expect(told).toEqual([
    [50, 'a'],
    [195, 'a'],
  ]);
});

test('readings at once tell each change once', async () => {
  const { told, made } = teller();
  const reading = { source: 'livescore', time: 100 } as const;
  await Promise.all([made.tell([{ id: 9, ut: 1 }], reading), made.tell([{ id: 9, ut: 1 }], reading)]);
  expect(told).toHaveLength(1);
});
