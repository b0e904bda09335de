import { expect, test } from 'vitest';
import { incident } from '#domain/testing/messages.ts';
import type { Incident } from '#records/types.ts';
import { catalogueValue } from '../testing/records.ts';
import { renderIncident } from './event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Renders an incident with these fields. Returns its record, and whether it is important. */
function rendered(options: Partial<Incident> = {}, type?: Fields) {
  const known = incident('5-110', 413, options);
  const { json, important } = renderIncident(known, (id) =>
    id === known.incident_id && type !== undefined ? catalogueValue('incident', id, null, type) : null,
  );
  return { record: JSON.parse(json), important };
}

/** A type in no catalogue. */
const UNKNOWN = 99_999;

test('shows every field as reported, but for the one that only the feed has', () => {
  const reported: Partial<Incident> = {
    incident_name: 'Goal!',
    participant_id: 102,
    participant_name: 'Home',
    subparticipant_id: 17,
    subparticipant_name: 'Ann',
    event_status_id: 34,
    event_status_name: 'First',
    event_time: 1_094,
    counts_for: 'rival',
    confirmation: 'cancelled',
    attribute_ids: [3],
    important: false,
    important_for_trader: false,
    game_break: true,
    parent_id: '5-9',
    ut: 1_790_000_009,
    other: { properties: '{"how":"header"}', more: '[1]', period_timer: '{"direction":"up","time":570}' },
  };
  const { counts_for, other: _, ...kept } = reported;
  expect(rendered(reported)).toEqual({
    important: false,
    record: {
      ...kept,
      id: '5-110',
      incident_id: 413,
      event_time: '18:14',
      for: counts_for,
      important: 'no',
      important_for_trader: 'no',
      game_break: 'yes',
      properties: { how: 'header' },
      additional_info: {},
      more: [1],
    },
  });
});

test('shows only the fields of every incident for an unknown type', () => {
  const options = { incident_id: UNKNOWN, event_status_id: null, participant_id: null, event_time: null };
  expect(rendered(options)).toEqual({
    important: false,
    record: {
      id: '5-110',
      incident_id: UNKNOWN,
      incident_name: '',
      participant_id: null,
      participant_name: null,
      subparticipant_id: null,
      subparticipant_name: null,
      event_status_id: null,
      event_status_name: null,
      event_time: null,
      for: 'none',
      confirmation: 'confirmed',
      attribute_ids: [],
      properties: {},
      additional_info: {},
      important: 'no',
      important_for_trader: 'no',
      game_break: 'no',
      ut: 1_790_000_000,
      parent_id: null,
    },
  });
});

const listed = { name: 'Tor', for: 'rival', important: 'no', important_for_trader: 'no', game_break: 'yes' };
test.each<[string, Partial<Incident>, Fields | undefined, Fields]>([
  [
    'that of the type in the provider’s catalogue',
    {},
    listed,
    { incident_name: 'Tor', for: 'rival', important: 'no', important_for_trader: 'no', game_break: 'yes' },
  ],
  [
    'else that of the built-in type',
    {},
    undefined,
    { incident_name: 'Goal', for: 'own', important: 'yes', important_for_trader: 'yes', game_break: 'no' },
  ],
  [
    'that of the built-in type if the provider’s value is invalid',
    { incident_id: 420 },
    { name: {}, for: 7, important: 7, important_for_trader: null, game_break: '' },
    { incident_name: 'Penalty', important: 'yes', important_for_trader: 'yes', game_break: 'yes' },
  ],
  ['own in `for`, unknown, a side', { incident_id: UNKNOWN, participant_id: 7 }, undefined, { for: 'own' }],
  ['the name of a known status', { event_status_id: 34 }, undefined, { event_status_name: '2nd half' }],
  ['null for an unknown status', { event_status_id: 9_999 }, undefined, { event_status_name: null }],
  [
    'empty if it is no collection',
    { other: { properties: 'null' } },
    undefined,
    { attribute_ids: [], properties: {}, additional_info: {} },
  ],
])('a field that was not reported is: %s', (_, options, type, shown) => {
  expect(rendered(options, type).record).toMatchObject(shown);
});

test('is important unless its record denies it', () => {
  expect([{}, { important: false }].map((options) => rendered(options).important)).toEqual([true, false]);
});
