import { describe, expect, test } from 'vitest';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { normalized } from '../testing/world.ts';
import { renderFeedMessage } from './feed-message.ts';

type Fields = Record<string, unknown>;
const row = (message: Fields) => renderFeedMessage(normalized(message));
const shown = (message: Fields) => JSON.parse(row(message)?.json ?? 'null');

test('is the message as it was reported', () => {
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

test('deletes the incident that it reports deleted', () => {
  expect(shown(incidentMessage({}, { action: 'delete' })).data.incident.action).toBe('delete');
});

test('is none for a message that is no incident and no event', () => {
  expect(row({ id: 1, type: 'event_keep_alive', ut: 1, data: { event: { id: 7 } } })).toBeNull();
});

describe('the id', () => {
  const idOf = (id: unknown) => shown(eventMessage({ id, uuid: 'u' })).id;
  test.each([[0], [7], [999_999_999_999_999]])('%d is itself', (id) => {
    expect(idOf(id)).toBe(id);
    expect(idOf(String(id))).toBe(id);
  });

  test.each(['007', 'x1', '1x', '1.5', '1000000000000000'])(
    '%s is a number made of it, always the same',
    (id) => {
      const made = idOf(id);
      expect(made).toBeGreaterThanOrEqual(2 ** 52);
      expect(Number.isSafeInteger(made)).toBe(true);
      expect(idOf(id)).toBe(made);
      expect(idOf(`${id}y`)).not.toBe(made);
    },
  );
});

describe('what filters ask of it', () => {
  test.each<[string, Fields, Fields]>([
    [
      'the flags that it reports',
      incidentMessage({}, { important: 'no', important_for_trader: 'no' }),
      { incident: true, important: false, forTrader: false, competitionId: 6628 },
    ],
    [
      'the flags that it reports, though its type has none',
      incidentMessage({}, { incident_id: 99_999, important: 'yes', important_for_trader: 'yes' }),
      { important: true, forTrader: true },
    ],
    ['those of its type', incidentMessage(), { important: true, forTrader: true }],
    [
      'those of its type where it reports neither',
      incidentMessage({}, { important: null }),
      { important: true },
    ],
    [
      'none of an unknown type',
      incidentMessage({}, { incident_id: 99_999 }),
      { important: false, forTrader: false },
    ],
    [
      'none of an event',
      eventMessage({}, { competition_id: 9 }),
      { incident: false, important: false, forTrader: false, competitionId: 9 },
    ],
    [
      'no competition where none is reported',
      eventMessage({}, { competition_id: null }),
      { competitionId: null },
    ],
  ])('%s', (_, message, asked) => {
    expect(row(message)).toMatchObject(asked);
  });
});
