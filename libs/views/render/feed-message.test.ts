import { describe, expect, test } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { normalized } from '../testing/world.ts';
import { renderFeedMessage } from './feed-message.ts';

type Fields = Record<string, unknown>;
const row = (message: Fields) => renderFeedMessage(normalized(message));
const shown = (message: Fields) => JSON.parse(row(message)?.json ?? 'null');

test('has no null that the provider’s client refuses, but those that it takes', () => {
  const side = { id: 101, counter: 1, name: null, gender: null, results: [{ id: 2, value: null }] };
  const odd = {
    event_status_id: null,
    incident_name: null,
    important_for_trader: null,
    show_popup: null,
    x_pos: null,
  };
  const event = { ft_only: null, coverage_type: null, winner_id: null, participants: [side] };
  const { data } = shown(incidentMessage({}, odd, event)) as {
    data: { incident: Fields; event: Fields & { participants: Fields[] } };
  };
  for (const name of ['event_status_id', 'incident_name', 'show_popup'])
    expect(data.incident).not.toHaveProperty(name);
  expect(data.incident).toMatchObject({ important_for_trader: 'yes', x_pos: null });
  for (const name of ['ft_only', 'coverage_type']) expect(data.event).not.toHaveProperty(name);
  expect(data.event).toMatchObject({ winner_id: null, participants: [{ id: 101, counter: 1 }] });
  for (const name of ['name', 'gender']) expect(data.event.participants[0]).not.toHaveProperty(name);
});

test('restores a message as it was reported', () => {
  const incident = incidentMessage({ uuid: 'u-1' }, { action: 'insert' }, { weather: { wind: 3 } });
  const { action: _, ...record } = (incident.data as { incident: Fields }).incident;
  expect(shown(incident)).toMatchObject({
    id: 35375779,
    uuid: 'u-1',
    type: 'incident',
    source: 1,
    ut: 1_790_000_000,
    data: { incident: { ...record, action: 'update' }, event: { id: 7_000_001, weather: { wind: 3 } } },
  });
  const event = shown(eventMessage({ source: 2 }));
  expect(event).toMatchObject({ type: 'event', source: 2, data: { event: { action: 'update' } } });
  expect(['uuid' in event, 'incident' in event.data]).toEqual([false, false]);
});

test('restores the action of a deleted incident', () => {
  expect(shown(incidentMessage({}, { action: 'delete' })).data.incident.action).toBe('delete');
});

test('returns null for a message that is neither an incident nor an event', () => {
  expect(row({ id: 1, type: 'event_keep_alive', ut: 1, data: { event: { id: 7 } } })).toBeNull();
});

describe('the id', () => {
  const idOf = (id: unknown) => shown(eventMessage({ id, uuid: 'u' })).id;
  test.each([[0], [7], [999_999_999_999_999]])('%d stays the same', (id) => {
    expect(idOf(id)).toBe(id);
    expect(idOf(String(id))).toBe(id);
  });

  test.each(['007', 'x1', '1x', '1.5', '1000000000000000'])('%s becomes one number', (id) => {
    const made = idOf(id);
    expect(made).toBeGreaterThanOrEqual(2 ** 52);
    expect(Number.isSafeInteger(made)).toBe(true);
    expect(idOf(id)).toBe(made);
    expect(idOf(`${id}y`)).not.toBe(made);
  });
});

const of = (incident: Fields) => incidentMessage({}, incident);
const unknown = { incident_id: 99_999 };
test.each<[string, Fields, Fields]>([
  ['are as reported', of({ important: 'no', important_for_trader: 'no' }), { important: 0, for_trader: 0 }],
  [
    'are the reported flags, though its type has none',
    of({ ...unknown, important: 'yes', important_for_trader: 'yes' }),
    { important: 1, for_trader: 1 },
  ],
  ['are those of its type', of({}), { incident: 1, important: 1, for_trader: 1, competition_id: 6628 }],
  ['are those of its type if neither is reported', of({ important: null }), { important: 1 }],
  ['are false for an unknown type', of(unknown), { important: 0, for_trader: 0 }],
  [
    'are false for an event',
    eventMessage({}, { competition_id: 9 }),
    { incident: 0, important: 0, for_trader: 0, competition_id: 9 },
  ],
  ['have no unreported competition', eventMessage({}, { competition_id: null }), { competition_id: null }],
])('the values that queries filter by: %s', (_, message, values) => {
  expect(row(message)).toMatchObject(values);
});
