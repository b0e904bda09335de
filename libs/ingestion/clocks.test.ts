import { describe, expect, test } from 'vitest';
import type { MessageContext } from './head.ts';
import { normalizeSnapshot } from './normalize.ts';
import { eventMessage, incidentMessage, incidentRecord } from './testing/messages.ts';
import { normalized } from './testing/normalized.ts';

const RECEIPT = 1_790_000_000;
const context: MessageContext = { origin: 'webhook', deliveryId: 'd', receivedAt: RECEIPT * 1_000 + 900 };

const read = (message: object) => normalized(message, context.receivedAt);

describe('a time more than 300 s after its receipt', () => {
  test('is that of the receipt for a message, and for an incident and an event without a better one', () => {
    const ut = RECEIPT + 3_600;
    const { incident, event, ...message } = read(incidentMessage({ ut }, { ut }, { ut }));
    expect(message).toMatchObject({ ut: RECEIPT, unread: ['event.ut', 'incident.ut', 'ut'] });
    expect(incident?.incident.ut).toBe(RECEIPT);
    expect(event?.ut).toBe(RECEIPT);
  });

  test('is that of its message for an incident and an event: it is the same whenever the message is received', () => {
    const ut = RECEIPT + 3_600;
    const message = read(incidentMessage({ ut: RECEIPT - 20 }, { ut }, { ut: String(ut) }));
    expect(message).toMatchObject({ ut: RECEIPT - 20, unread: ['event.ut', 'incident.ut'] });
    expect(message.incident?.incident.ut).toBe(RECEIPT - 20);
    expect(message.event?.ut).toBe(RECEIPT - 20);
  });

  test('begins with the 301st second', () => {
    expect(read(eventMessage({ ut: RECEIPT + 300 }))).toMatchObject({ ut: RECEIPT + 300, unread: [] });
    const exactly = normalized(eventMessage({ ut: RECEIPT + 300 }), RECEIPT * 1_000);
    expect(exactly).toMatchObject({ ut: RECEIPT + 300, unread: [] });
    expect(read(eventMessage({ ut: RECEIPT + 301 }))).toMatchObject({ ut: RECEIPT, unread: ['ut'] });
    expect(read(incidentMessage({}, { ut: RECEIPT + 300 })).incident?.incident.ut).toBe(RECEIPT + 300);
    expect(read(eventMessage({}, { ut: RECEIPT + 300 })).unread).toEqual([]);
    expect(read(eventMessage({}, { ut: RECEIPT + 301 })).unread).toEqual(['event.ut']);
  });

  test('is that of the receipt for a keep-alive', () => {
    const message = read({ id: 1, type: 'event_keep_alive', ut: RECEIPT + 400, data: { event: { id: 7 } } });
    expect(message).toMatchObject({ ut: RECEIPT, unread: ['ut'] });
  });

  test('is that of the receipt for a list, and that of its list for an entry', () => {
    const ahead = RECEIPT + 86_400;
    const list = (time: number) => {
      const incidents = [incidentRecord({ ut: ahead }), incidentRecord({ id: '5-120' })];
      const deleted = [incidentRecord({ id: '5-130', ut: ahead })];
      const result = normalizeSnapshot({ messageId: 's', eventId: 7, time, incidents, deleted }, context);
      if (result.kind !== 'normalized') throw new Error(JSON.stringify(result));
      const { ut, unread, snapshot, deleted: gone } = result.message;
      return { ut, unread, of: [...(snapshot ?? []), ...gone].map((one) => one.ut) };
    };
    const unread = ['deleted.*.ut', 'incidents.*.ut'];
    expect(list(RECEIPT - 1)).toEqual({ ut: RECEIPT - 1, unread, of: Array(3).fill(RECEIPT - 1) });
    expect(list(ahead)).toEqual({
      ut: RECEIPT,
      unread: [...unread, 'timestamp'],
      of: Array(3).fill(RECEIPT),
    });
  });
});
