import { expect, test } from 'vitest';
import { NO_SOURCE } from '#domain/event.ts';
import { eventOf, incident } from '#domain/testing/messages.ts';
import { providerEvent as eventText, providerIncident, withFlags } from './provider-message.ts';

const providerEvent = (...of: Parameters<typeof eventText>) => JSON.parse(eventText(...of));

test('an event has its id, the action that normalizing removes, and its fields in the provider’s form', () => {
  const event = eventOf({ clock_time: '1', neutral_venue: true, round_id: null, day: 'x' });
  expect(providerEvent(7, event)).toEqual({
    id: 7,
    action: 'update',
    clock_time: 1,
    neutral_venue: 'yes',
    round_id: null,
    day: 'x',
  });
  expect(providerEvent(7, null, 'insert')).toEqual({ id: 7, action: 'insert' });
  expect(providerEvent(7, eventOf({ action: 'delete' }))).toEqual({ id: 7, action: 'delete' });
  expect(NO_SOURCE).toBe(-1);
});

test('an incident has all fields of the contract, its flags never null', () => {
  const goal = incident('5-1', 413, { event_time: 6_005, counts_for: 'own', note: 'a', important: false });
  expect(providerIncident(goal, 'insert')).toMatchObject({
    id: '5-1',
    action: 'insert',
    event_time: '100:05',
    for: 'own',
    game_break: 'no',
    important: 'no',
    important_for_trader: 'yes',
    additional_info: null,
    note: 'a',
  });
  expect(withFlags(incident('5-1', 99_999))).toMatchObject({
    game_break: false,
    important: false,
    important_for_trader: false,
  });
});
