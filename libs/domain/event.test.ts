import { describe, expect, test } from 'vitest';
import { eventJson, eventObject, incidentObject, kickOffOf, NO_EVENT, sameValue } from './event.ts';
import { eventOf, incident } from './testing/messages.ts';

test.each<[startDate: string | null, at: number | null]>([
  ['2026-08-15 15:00', Date.UTC(2026, 7, 15, 15)],
  ['2026-02-31 15:00', null],
  ['2026-08-15 15:00:00', null],
  ['soon', null],
  [null, null],
])('the kick-off of %j is %s', (startDate, at) => {
  expect(kickOffOf(startDate)).toBe(at);
});

test.each<[same: boolean, a: unknown, b: unknown]>([
  [true, [1, [2, null]], [1, [2, null]]],
  [true, { a: [{}], b: null }, { b: null, a: [{}] }],
  [false, [1, [2]], [1, [3]]],
  [false, [1], [1, 2]],
  [false, [], {}],
  [false, {}, ''],
  [false, '', {}],
  [false, null, {}],
  [false, {}, null],
  [false, 1, 2],
  [false, { a: 1 }, { a: 1, b: 2 }],
  [false, [1, 2], [1]],
  [false, { a: undefined }, { b: undefined }],
])('values are the same by content: %s for %j and %j', (same, a, b) => {
  expect(sameValue(a, b)).toBe(same);
});

describe('an event as the contract writes it', () => {
  test('has what the message says, and null where the message does', () => {
    const participants = [{ id: 1, counter: 1, name: 'A' }];
    const said = { name: 'A - B', verified_result: true, group_id: null, odd: 7, participants };
    const written = {
      ...said,
      verified_result: 'yes',
      participants: [{ ...participants[0], results: [], stats: [] }],
    };
    expect(eventObject(eventOf(said))).toEqual(written);
    expect(JSON.parse(eventJson(eventOf(said), { id: 3 }))).toEqual({ id: 3, ...written });
  });

  test('is empty where it says nothing', () => {
    expect([eventJson(NO_EVENT), eventJson(NO_EVENT, { id: 3 })]).toEqual(['{}', '{"id":3}']);
  });
});

test('an incident as the contract writes it has its time in minutes, and the provider’s words', () => {
  const info = { assistant_id: 8, assistant_name: null, goalkeeper_id: null, goalkeeper_name: null };
  const said = { ...info, secondary_assistant_id: null, secondary_assistant_name: null, other: {} };
  const one = { event_time: 3_723, game_break: true, important: false, additional_info: said, note: 'a' };
  expect(incidentObject(incident('5-1', 413, one))).toMatchObject({
    event_time: '62:03',
    game_break: 'yes',
    important: 'no',
    additional_info: { assistant_id: 8 },
    note: 'a',
  });
  const unknown = { event_time: null, game_break: null, additional_info: null };
  expect(incidentObject(incident('5-1', 413, unknown))).toMatchObject(unknown);
  expect(incidentObject(incident('5-1', 413, { event_time: 5 }))).toMatchObject({ event_time: '00:05' });
});
