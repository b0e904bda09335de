/** Turns answers of the provider into deliveries by the rules of webhook bodies. Pure. */

import { isUtf8 } from 'node:buffer';
import {
  deadLetter,
  deliveryId,
  LARGEST_BODY_BYTES,
  type ReadDelivery,
  readDelivery,
} from '#ingestion/delivery.ts';
import { absenceMessage } from '#ingestion/head.ts';
import { normalizeSnapshot } from '#ingestion/normalize.ts';
import { parseJson } from '#json/values.ts';
import { SERVICE } from '../config.ts';
import type { Raw } from '../provider/tree.ts';

/** Maximum size of a body of several messages, bytes: well below the limit of `raw-messages`. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum number of messages in a body: below the limit of a delivery. */
const MAX_MESSAGES = 5_000;

const NOTHING: ReadDelivery = { raw: null, normalized: [], deadLetters: [], ignored: new Map() };

type ListedRecords = { readonly incidents: readonly unknown[]; readonly deleted?: readonly unknown[] };

const [OPEN, CLOSE, COMMA] = ['[', ']', ','].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

function arrayOf(values: readonly Buffer[]): Buffer {
  const parts = values.flatMap((value, at) => (at === 0 ? [value] : [COMMA, value]));
  return Buffer.concat([OPEN, ...parts, CLOSE]);
}

/** Joins messages into webhook-shaped bodies that fit into a topic; one that is too large, or no UTF-8, is in a body of its own. */
export function bodiesOf(messages: readonly Buffer[]): Buffer[] {
  const bodies: Buffer[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = isUtf8(message) ? message.length : Number.POSITIVE_INFINITY;
    const body = bodies.at(-1) ?? [];
    if (length + size > MAX_BODY_BYTES || body.length >= MAX_MESSAGES) {
      bodies.push([message]);
      length = size;
    } else {
      body.push(message);
      length += size;
    }
  }
  return bodies.map(arrayOf);
}

/** Returns the deliveries of messages of the feed. `receivedAt`: Unix milliseconds. */
export function readFeed(messages: readonly Buffer[], receivedAt: number): ReadDelivery[] {
  return bodiesOf(messages).map((body) =>
    body.length > LARGEST_BODY_BYTES
      ? tooLarge(body, receivedAt)
      : readDelivery(body, { origin: 'feed', service: SERVICE, receivedAt }),
  );
}

/**
 * Returns the deliveries of the messages that the feed would send for these events. `ut`: of the message; `answered_at`: `api.timestamp`
 * of the answer, both Unix seconds. `receivedAt`: Unix milliseconds.
 */
export function readEvents(
  events: readonly { readonly record: Raw; readonly ut: number }[],
  answered_at: number,
  receivedAt: number,
): ReadDelivery[] {
  const messages = events.map(({ record, ut }) => {
    const { events_incidents: _, ut: _own, ...event } = record;
    const head = { id: `event/${record.id}/${ut}`, type: 'event', source: 'rest', ut, answered_at };
    return Buffer.from(JSON.stringify({ ...head, data: { event } }));
  });
  return readFeed(messages, receivedAt);
}

/** An incident list, with the exact bytes of each. `time`: `api.timestamp` of its first page, Unix seconds. */
type SnapshotReading = {
  readonly eventId: number;
  readonly time: number;
  readonly incidents: readonly Buffer[];
  readonly deleted?: readonly Buffer[];
};

/** Returns the delivery of a snapshot, or a dead letter when an incident is unreadable or the list too large. */
export function readSnapshot(
  { eventId, time, incidents, deleted = [] }: SnapshotReading,
  receivedAt: number,
): ReadDelivery {
  const messageId = `snapshot/${eventId}/${time}`;
  const head = JSON.stringify({ id: messageId, type: 'incident_snapshot', ut: time, event_id: eventId });
  const data = Buffer.concat([
    Buffer.from('{"incidents":'),
    arrayOf(incidents),
    ...(deleted.length === 0 ? [] : [Buffer.from(',"deleted":'), arrayOf(deleted)]),
    Buffer.from('}'),
  ]);
  const body = Buffer.concat([Buffer.from(`[${head.slice(0, -1)},"data":`), data, Buffer.from('}]')]);
  if (body.length > LARGEST_BODY_BYTES) return tooLarge(body, receivedAt);
  const delivery_id = deliveryId(body);
  const result = normalizeSnapshot(
    { messageId, eventId, time, ...(parseJson(data.toString('utf8')) as ListedRecords) },
    { origin: 'feed', deliveryId: delivery_id, receivedAt },
  );
  const raw = { delivery_id, origin: 'feed', received_at: receivedAt, body };
  const base = { ...NOTHING, raw };
  if (result.kind === 'normalized') return { ...base, normalized: [result.message] };
  if (result.kind === 'ignored') return { ...base, ignored: new Map([[result.type, 1]]) };
  const letter = deadLetter(result, 'body', body, delivery_id, { service: SERVICE, receivedAt });
  return { ...base, normalized: result.mark === null ? [] : [result.mark], deadLetters: [letter] };
}

/** Returns the delivery of an event's absence. `ut`: the provider's time, Unix seconds; `confirmed`: a second look agrees. */
export function readAbsence(
  eventId: number,
  ut: number,
  confirmed: boolean,
  receivedAt: number,
): ReadDelivery {
  const head = { origin: 'feed', deliveryId: '', receivedAt } as const;
  const message = absenceMessage(eventId, ut, { confirmed, order: null }, head);
  return { ...NOTHING, normalized: [message] };
}

/** Returns the dead letter of a body that is too large for any topic, without its bytes. */
function tooLarge(body: Buffer, receivedAt: number): ReadDelivery {
  const fault = { code: 'too_large', reason: `the body is larger than ${LARGEST_BODY_BYTES} bytes` } as const;
  const letter = deadLetter(fault, 'body', null, deliveryId(body), { service: SERVICE, receivedAt });
  return { ...NOTHING, deadLetters: [letter] };
}
