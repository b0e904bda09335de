import { expect, test } from 'vitest';
import { isOlder, statusNameOf } from './event-facts.ts';
import { EventRegister } from './event-register.ts';
import { eventOf } from './testing/messages.ts';

const report = (ut: number, fields: Readonly<Record<string, unknown>>) => ({
  ut,
  message_id: null,
  event: eventOf(fields),
});
const result = (value: number) => [{ id: 2, value }];
const side = (counter: number, id: unknown, score?: number) => ({
  counter,
  id,
  ...(score !== undefined && { results: result(score) }),
});

test('has the latest value of each field with its time', () => {
  const event = EventRegister.restore([
    report(1, { name: 'A', status_id: 33 }),
    report(2, { status_id: 34, clock_time: null }),
  ]);
  expect([event.value('name'), event.value('status_id'), event.value('clock_time')]).toEqual(['A', 34, null]);
  expect(event.reportedAt('name')).toBe(1);
  expect(isOlder(event, 'name', 'status_id')).toBe(true);
  expect(isOlder(event, 'status_id', 'name')).toBe(false);
  expect(isOlder(event, 'played_time', 'status_id')).toBe(false);
});

test('has the name of a status that was reported with it', () => {
  const named = report(1, { status_id: 33, status_name: 'First' });
  expect(statusNameOf(EventRegister.restore([named]))).toBe('First');
  expect(statusNameOf(EventRegister.restore([named, report(2, { status_id: 34 })]))).toBeNull();
});

/** The sides of `messages` as text: counter, id and score of each. */
test.each<[why: string, sides: string, ...messages: readonly (readonly object[])[]]>([
  ['none', ''],
  ['in the order of counters', '1 1 -, 2 2 -, 10 3 -', [{ counter: 10, id: 3 }], [side(2, 2), side(1, 1)]],
  ['each with the results reported later', '1 1 2', [side(1, 1, 1)], [{ counter: 1, results: result(2) }]],
  ['each with the results reported before', '1 1 1', [{ counter: 1, results: result(1) }], [side(1, 1)]],
  [
    'each with the results of its team, on whatever side it was',
    '1 2 2, 2 1 1',
    [side(1, 1, 1), side(2, '2', 2)],
    [side(1, 2), side(2, 1)],
  ],
  ['not of results alone', '', [{ counter: '2', results: result(1) }]],
])('joins the sides of messages: %s', (_, sides, ...messages) => {
  const event = EventRegister.restore(messages.map((participants, at) => report(at, { participants })));
  const joined = event
    .sides()
    .map(({ counter, id, results }) => `${counter} ${id} ${results[0]?.value ?? '-'}`);
  expect(joined.join(', ')).toBe(sides);
  expect(event.reportedAt('participants')).toBe(messages.length === 0 ? undefined : messages.length - 1);
});
