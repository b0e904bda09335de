import { expect, test } from 'vitest';
import { normalizeSnapshot } from './normalize.ts';
import { CONTEXT, incidentRecord } from './testing/messages.ts';
import { reasonOf } from './testing/normalized.ts';

const snapshot = (incidents: unknown[], deleted?: unknown[]) =>
  normalizeSnapshot(
    { messageId: 's-1', eventId: 7000001, time: 1_790_000_900, incidents, deleted },
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
      event: null,
      incident: null,
      snapshot: [
        { id: '5-110', ut: 1_790_000_100 },
        { id: '5-120', ut: 1_790_000_900 },
      ],
    },
  });
});

test('a snapshot names as deleted what its list says is deleted, and the list of deleted incidents', () => {
  const incidents = [
    incidentRecord(),
    incidentRecord({ id: '5-111', action: 'DELETE', ut: 1_790_000_100 }),
    incidentRecord({ id: '5-112', action: 'delete' }),
  ];
  const odd = incidentRecord({ id: '5-114', for: {} });
  const deleted = [incidentRecord({ id: '5-113', ut: 1_790_000_200 }), odd];
  expect(snapshot(incidents, deleted)).toMatchObject({
    message: {
      snapshot: [{ id: '5-110' }],
      deleted: [
        { id: '5-111', ut: 1_790_000_100, message_id: null },
        { id: '5-112', ut: 1_790_000_900 },
        { id: '5-113', ut: 1_790_000_200 },
        { id: '5-114', ut: 1_790_000_900 },
      ],
      unread: ['deleted.*.for'],
    },
  });
});

test('an odd field of an entry is left out alone, whatever entry it is of', () => {
  const second = incidentRecord({ id: 7, event_time: '9:05', for: 5 });
  const entries = [incidentRecord({ event_time: 'x' }), second];
  expect(snapshot(entries)).toMatchObject({
    message: {
      snapshot: [
        { id: '5-110', event_time: null },
        { id: '7', event_time: 545, counts_for: null },
      ],
      unread: ['incidents.*.event_time', 'incidents.*.for'],
    },
  });
});

test('an entry has no number of a message, and only its own status', () => {
  const kick = incidentRecord({ event_status_id: null });
  expect(snapshot([kick])).toMatchObject({
    message: { snapshot: [{ message_id: null, event_status_id: null }] },
  });
});

test('a snapshot is unreadable when one incident is: a list without that incident would remove it', () => {
  expect(reasonOf(snapshot([incidentRecord(), incidentRecord({ incident_id: 'x' })]))).toMatch(
    /^unknown_shape incidents\.1\.incident_id: /,
  );
  expect(snapshot([], [incidentRecord({ id: {} })])).toMatchObject({
    kind: 'unreadable',
    mark: { type: 'event', message_id: 's-1', ut: 1_790_000_900, unreadable: expect.any(String) },
  });
  expect(snapshot([7])).toMatchObject({ reason: expect.stringMatching(/^incidents\.0: /) });
});
