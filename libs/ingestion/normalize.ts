/** Normalizes the provider's messages and records. They are parsed only here; all later code trusts the types. */
import type { DeadLetterCode } from '#errors/catalogue.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import { canonicalWord, isEmpty, long } from '#json/kinds.ts';
import { isRecord, type RawRecord, record, recordReader } from '#json/records.ts';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { ofEvent, readEvent } from './event.ts';
import {
  base,
  headOf,
  type MessageContext,
  plausibleTime,
  readEnvelope,
  readEventId,
  receiptOf,
} from './head.ts';
import { readIncident, reportedBy } from './incident.ts';

export type Normalized =
  | { readonly kind: 'normalized'; readonly message: NormalizedMessage }
  /** A well-formed message of an unused type. */
  | { readonly kind: 'ignored'; readonly type: string }
  /** `reason` names the path, never a value. `mark`: tells its match; null where that is unknown or has lost nothing. */
  | {
      readonly kind: 'unreadable';
      readonly code: DeadLetterCode;
      readonly reason: string;
      readonly mark: NormalizedMessage | null;
    };

/** An event's whole incident list: the answer of `GET /v2/events/{id}/incidents`. */
type SnapshotRecords = MessagePlace & {
  readonly incidents: readonly unknown[];
  /** The incidents that the provider lists as deleted; it need not list all. */
  readonly deleted?: readonly unknown[] | undefined;
};

/** Which message or list it is, of which event. `time`: Unix seconds, `api.timestamp` of a list. */
type MessagePlace = Readonly<{ messageId: string; eventId: number; time: number }>;

/** Maximum size of a message's event and incident together, and of each incident of a snapshot: bytes of JSON. Real ones have a few thousand. */
export const MAX_MESSAGE_BYTES = 512 * 1024;

/** Maximum size of all incidents of a snapshot, bytes of JSON: the snapshot fits a record of normalized-messages. */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

/** Types of messages without any field of match state: a match loses nothing with one. */
const WITHOUT_STATE: readonly string[] = ['event_keep_alive', 'events_lineups'];

/**
 * Normalizes a provider message. Never throws. One of an unknown type is `ignored`, one without what all need is `unreadable`;
 * other unread fields are named in `unread`. `index`: that in its delivery.
 */
export function normalizeMessage(message: unknown, context: MessageContext, index = 0): Normalized {
  return guarded(
    () => {
      if (!isRecord(message)) throw new PoisonError('UNKNOWN_SHAPE', 'message: expected an object');
      if (typeof message.type !== 'string' || isEmpty(message.type))
        throw new PoisonError('UNKNOWN_SHAPE', 'type: expected text');
      const type = canonicalWord(message.type);
      if (type === 'incident' || type === 'event') return normalized(eventMessage(message, type, context));
      if (type === 'event_keep_alive' || type === 'events_lineups')
        return otherMessage(message, type, context);
      return { kind: 'ignored', type };
    },
    (reason) => markOfMessage(message, reason, context, index),
  );
}

/** Normalizes a whole list. An unreadable incident makes all unreadable: without it the list would remove it. */
export function normalizeSnapshot(records: SnapshotRecords, context: MessageContext): Normalized {
  return guarded(
    () => {
      const unread = new Set<string>();
      const time = plausibleTime(records.time, context, 'timestamp', unread);
      const snapshot: Incident[] = [];
      const deletes: Incident[] = [];
      for (const list of ['incidents', 'deleted'] as const) {
        for (const [index, raw] of (records[list] ?? []).entries()) {
          const at = `${list}.${index}`;
          const { incident, deleted } = readIncident(
            raw,
            { context, ut: time, path: `${list}.*`, at },
            unread,
          );
          limitBytes(incident, MAX_MESSAGE_BYTES, at);
          // The provider may list a deleted incident; it counts as absent.
          (list === 'deleted' || deleted ? deletes : snapshot).push(incident);
        }
      }
      limitBytes([snapshot, deletes], MAX_SNAPSHOT_BYTES, 'incidents');
      return normalized({
        ...base(records.messageId, records.eventId, time, context),
        content_at: records.time * 1_000,
        type: 'incident_snapshot',
        snapshot,
        deleted: deletes,
        unread: sorted(unread),
      });
    },
    (reason) => markOf(records, reason, context),
  );
}

function guarded(work: () => Normalized, markOf: (reason: string) => NormalizedMessage | null): Normalized {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PoisonError)) throw error;
    const { published: code, message: reason } = error;
    return { kind: 'unreadable', code, reason, mark: markOf(reason) };
  }
}

function normalized(message: NormalizedMessage): Normalized {
  return { kind: 'normalized', message };
}

/** Returns the message of an event, and of its incident. The event has the time of the message instead of one of a wrong clock. */
function eventMessage(
  message: RawRecord,
  type: 'incident' | 'event',
  context: MessageContext,
): NormalizedMessage {
  const unread = new Set<string>();
  const data = dataOf(message);
  if (!isRecord(data.event)) throw new PoisonError('UNKNOWN_SHAPE', 'data.event: expected an object');
  const eventId = readEventId(data.event);
  if (eventId === null) throw new PoisonError('UNKNOWN_SHAPE', 'data.event.id: expected an id from 1');
  const head = headOf(message, eventId, context, unread);
  const { ut } = head;
  const event = readEvent(data.event, unread);
  if (event.ut !== null) event.ut = plausibleTime(event.ut, context, 'event.ut', unread, ut);
  const place = { context, ut, path: 'incident', at: 'data.incident' };
  const read = type === 'incident' ? readIncident(data.incident, place, unread) : null;
  limitBytes([event, read?.incident], MAX_MESSAGE_BYTES);
  const incident = read && { ...read, incident: reportedBy(read.incident, head.message_id, event) };
  return { ...head, type, ...ofEvent(event, ut), incident, unread: sorted(unread) };
}

function dataOf({ data }: RawRecord): RawRecord {
  if (!isRecord(data)) throw new PoisonError('UNKNOWN_SHAPE', 'data: expected an object');
  return data;
}

/** The data of line-ups and of keep-alives, sent about every 30 seconds. Any of the three may hold the event id (spec). */
const readOfEvent = recordReader({
  event: record({ id: long }, ({ values }) => values.id),
  event_id: long,
  id: long,
});

/** Reads a record of which the contract knows no field. */
const readAll = recordReader({});

function otherMessage(
  message: RawRecord,
  type: 'event_keep_alive' | 'events_lineups',
  context: MessageContext,
): Normalized {
  const data = dataOf(message);
  const unread = new Set<string>();
  const { event, event_id, id } = readOfEvent(data, 'data', unread).values;
  const eventId = event ?? event_id ?? id;
  if (eventId === null) {
    if (unread.size === 0) return { kind: 'ignored', type };
    throw new PoisonError('UNKNOWN_SHAPE', 'data: expected the id of an event');
  }
  const head = headOf(message, eventId, context, unread);
  const { other } = readAll(data, 'data', unread);
  limitBytes(other, MAX_MESSAGE_BYTES);
  return normalized({ ...head, type, other, unread: sorted(unread) });
}

function limitBytes(value: object, maxBytes: number, at = 'message'): void {
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes)
    throw new PoisonError('TOO_LARGE', `${at}: more than ${maxBytes} bytes`);
}

function sorted(paths: ReadonlySet<string>): string[] {
  return [...paths].sort();
}

/** Returns the mark of an unreadable message; null where its event cannot be read, or its type has no effect on match state. */
function markOfMessage(
  message: unknown,
  reason: string,
  context: MessageContext,
  index: number,
): NormalizedMessage | null {
  if (!isRecord(message) || !isRecord(message.data) || !isRecord(message.data.event)) return null;
  if (typeof message.type === 'string' && WITHOUT_STATE.includes(canonicalWord(message.type))) return null;
  const eventId = readEventId(message.data.event);
  if (eventId === null) return null;
  const { id, uuid, ut } = readEnvelope(message, new Set());
  const messageId = id ?? uuid ?? `unread/${context.deliveryId}/${index}`;
  return markOf({ messageId, eventId, time: ut ?? receiptOf(context) }, reason, context);
}

/** Returns the mark of an unreadable message or incident list. */
function markOf(
  { messageId, eventId, time }: MessagePlace,
  reason: string,
  context: MessageContext,
): NormalizedMessage {
  const ut = plausibleTime(time, context, 'ut', new Set());
  return { ...base(messageId, eventId, ut, context), type: 'event', unreadable: reason };
}
