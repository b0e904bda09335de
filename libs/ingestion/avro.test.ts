import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INT_MAX, LONG_MAX } from '#json/values.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { avroType, loadSchemas } from '#topics/codec.ts';
import { rounds } from '../../test/support/rounds.ts';
import { readDelivery } from './delivery.ts';
import { UT_MAX } from './head.ts';
import { normalizeSnapshot } from './normalize.ts';
import { CONTEXT, eventMessage, incidentMessage, incidentRecord } from './testing/messages.ts';

function type(topic: string) {
  const schema = loadSchemas().topics.get(topic);
  if (schema === undefined) throw new Error(topic);
  return avroType(schema);
}

const normalized = type('normalized-messages');
const sameAgain = (message: NormalizedMessage) => normalized.fromBuffer(normalized.toBuffer(message));

const words = (text: string) => text.split(' ');

/** Values at and around the limits of a field, and values of other types. */
const value = fc.oneof(
  fc.constantFrom(0, 1, -1, 1.5, INT_MAX, INT_MAX + 1, LONG_MAX, LONG_MAX + 1, 2 ** 53, Number.MAX_VALUE),
  fc.constantFrom(null, '', ...words('0 7 99999999999999999 tbd delete own 10:30 999:59 5-\ud800')),
  fc.jsonValue(),
);
const incidentField = fc.constantFrom(
  ...words('id action incident_id participant_id event_status_id event_time for confirmation parent_id ut'),
);
const eventField = fc.constantFrom(
  ...words('id action sport_id status_id clock_time participants details x'),
);
const messageField = fc.constantFrom('id', 'uuid', 'ut', 'type');

describe('a normalized message', () => {
  test('fits its schema', () => {
    let readable = 0;
    fc.assert(
      fc.property(
        fc.dictionary(messageField, value, { maxKeys: 2 }),
        fc.dictionary(incidentField, value, { maxKeys: 3 }),
        fc.dictionary(eventField, value, { maxKeys: 3 }),
        (message, incident, event) => {
          const body = [incidentMessage(message, incident, event), eventMessage(message, event)];
          const bytes = Buffer.from(JSON.stringify(body));
          const delivery = readDelivery(bytes, {
            origin: 'webhook',
            service: 'test',
            receivedAt: CONTEXT.receivedAt,
          });
          readable += delivery.normalized.length;
          for (const one of delivery.normalized) expect(sameAgain(one)).toEqual(one);
          for (const letter of delivery.deadLetters) expect(type('dead-letters').isValid(letter)).toBe(true);
          expect(type('raw-messages').isValid(delivery.raw)).toBe(true);
        },
      ),
      { numRuns: rounds(500) },
    );
    expect(readable).toBeGreaterThan(50);
  });

  test('fits its schema at the limits of its numbers', () => {
    const incident = { incident_id: INT_MAX, participant_id: LONG_MAX, event_status_id: INT_MAX, ut: UT_MAX };
    const body = JSON.stringify([incidentMessage({ ut: UT_MAX }, incident, { id: LONG_MAX })]);
    const context = { origin: 'webhook', service: 'test', receivedAt: UT_MAX * 1_000 } as const;
    const [message] = readDelivery(Buffer.from(body), context).normalized;
    expect(message).toMatchObject({ event_id: LONG_MAX, ut: UT_MAX });
    if (message !== undefined) expect(sameAgain(message)).toEqual(message);
  });

  test('fits its schema as a snapshot too', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(incidentField, value, { maxKeys: 2 })), (changes) => {
        const incidents = changes.map((change) => incidentRecord(change));
        const result = normalizeSnapshot({ messageId: 's', eventId: 1, time: 5, incidents }, CONTEXT);
        if (result.kind === 'normalized') expect(sameAgain(result.message)).toEqual(result.message);
      }),
    );
  });
});
