import { expect, test } from 'vitest';
import { normalizeSnapshot } from './normalize.ts';
import { CONTEXT, incidentRecord } from './testing/messages.ts';
import { reasonOf } from './testing/normalized.ts';

const snapshot = (incidents: unknown[]) =>
  normalizeSnapshot(
    { messageId: 's-1', eventId: 7000001, time: 1_790_000_900, incidents },
    { ...CONTEXT, origin: 'feed', receivedAt: 1_790_000_901_000 },
  );

test('a snapshot is the event’s whole incident list at the time of the response', () => {
  expect(snapshot([incidentRecord({ ut: 1_790_000_100 }), incidentRecord({ id: '5-120' })])).toMatchObject({
    kind: 'normalized',
    message: {
      message_id: 's-1',
      type: 'incident_snapshot',
      origin: 'feed',
      event_id: 7000001,
      ut: 1_790_000_900,
      event_fields: [],
      incident: null,
      snapshot: [
        { id: '5-110', ut: 1_790_000_100 },
        { id: '5-120', ut: 1_790_000_900 },
      ],
    },
  });
});

test('a snapshot may be empty, and omits a record with the action delete', () => {
  expect(snapshot([])).toMatchObject({ kind: 'normalized', message: { snapshot: [] } });
  expect(snapshot([incidentRecord({ action: 'delete' })])).toMatchObject({ message: { snapshot: [] } });
});

test('a snapshot is unreadable when one incident is: a list without that incident would remove it', () => {
  expect(reasonOf(snapshot([incidentRecord(), incidentRecord({ incident_id: 'x' })]))).toMatch(
    /^unknown_shape incidents\.1\.incident_id: /,
  );
});
