import { expect, test } from 'vitest';
import { eventJson, eventRest, joinObjects, NO_SOURCE } from './provider-message.ts';

test('an event has its id, the action that normalizing removes, and its parts in order', () => {
  const event = { event_id: 7, event_fields: ['{"clock_time":1}', '{}', '{"name":"A - B"}'] };
  expect(eventJson(event, { name: 'A - B' })).toBe(
    '{"id":7,"action":"update","clock_time":1,"name":"A - B"}',
  );
  expect(eventJson(event, {}, 'insert')).toBe('{"id":7,"action":"insert","clock_time":1,"name":"A - B"}');
  const deleted = { event_id: 7, event_fields: ['{"action":"delete"}'] };
  expect(eventJson(deleted, { action: 'delete' })).toBe('{"id":7,"action":"delete"}');
});

test('the rest of an event is its last part', () => {
  expect(eventRest({ event_fields: ['{"a":1}', '{"b":2}', '{"c":3}'] })).toEqual({ c: 3 });
  expect(eventRest({ event_fields: [] })).toEqual({});
});

test('joins the members of objects', () => {
  expect(joinObjects('{"a":1}', '{}', '{"b":{"c":2}}')).toBe('{"a":1,"b":{"c":2}}');
  expect(joinObjects()).toBe('{}');
  expect(NO_SOURCE).toBe(-1);
});
