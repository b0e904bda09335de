/** Normalizes the provider's messages and records. They are parsed only here; all later code trusts the types. */
import type { z } from 'zod';
import {
  ByKeys,
  CanonicalJsonError,
  canonicalJson,
  canonicalPart,
  type Fields,
  fieldsOf,
} from '#contract/canonical-json.ts';
import { fitsInBytes, INT_MAX, toWholeNumber } from '#contract/values.ts';
import type { DeadLetterCode } from '#errors/catalogue.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Incident, NormalizedMessage } from '#topics/generated/types.ts';
import {
  type Envelope,
  eventMessageSchema,
  type IncidentFields,
  incidentMessageSchema,
  incidentSchema,
  ofEventSchema,
} from './messages.ts';

/** The result of normalizing a message. */
export type Normalized =
  | { readonly kind: 'normalized'; readonly message: NormalizedMessage }
  /** A well-formed message of an unused type. */
  | { readonly kind: 'ignored'; readonly type: string }
  /** `reason` is one line that names the path, never a value. */
  | { readonly kind: 'unreadable'; readonly code: DeadLetterCode; readonly reason: string };

/** The origin of a message. */
export type MessageContext = {
  /** The ingress service. */
  readonly origin: 'webhook' | 'feed';
  /** Key of the raw-messages record that contains the message. */
  readonly deliveryId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
};

/** An event's whole incident list: the answer of `GET /v2/events/{id}/incidents`. */
type SnapshotRecords = {
  readonly messageId: string;
  readonly eventId: number;
  /** The response's `api.timestamp`, Unix seconds. */
  readonly time: number;
  readonly incidents: readonly unknown[];
  /** The incidents that the provider lists as deleted; it need not list all. */
  readonly deleted?: readonly unknown[] | undefined;
};

/**
 * Maximum size of a message's event and incident together, and of each incident of a snapshot: bytes of canonical JSON.
 * Real ones have a few thousand.
 */
export const MAX_MESSAGE_BYTES = 512 * 1024;

/**
 * Maximum size of all incidents of a snapshot: bytes of canonical JSON. The fields parsed from them need at most as many
 * bytes again, so that the snapshot fits a record of normalized-messages.
 */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

/** Groups of event fields that change together. All other fields form one more group. */
const EVENT_PARTS: readonly (readonly string[])[] = [
  ['clock_status', 'clock_time', 'played_time'],
  ['bet_status', 'latency', 'relation_status', 'status_id', 'status_name', 'status_type'],
  ['details'],
  ['participants'],
];
const NOT_IN_REST: ReadonlySet<string> = new Set(['id', ...EVENT_PARTS.flat()]);

function partsOf(keys: readonly string[]): Fields[] {
  const rest = keys.filter((key) => !NOT_IN_REST.has(key));
  return [...EVENT_PARTS.map((part) => part.filter((key) => keys.includes(key))), rest]
    .filter((part) => part.length > 0)
    .map(fieldsOf);
}

const withoutAction = (keys: readonly string[]): string[] => keys.filter((key) => key !== 'action');
const bodyFields = new ByKeys((keys) => fieldsOf(withoutAction(keys)));
const eventParts = new ByKeys(partsOf);
const eventPartsWithoutAction = new ByKeys((keys) => partsOf(withoutAction(keys)));

/**
 * Normalizes one provider message, as parsed from JSON. Never throws. A message of an unknown type is `ignored`; an
 * incident without its event, or an event without a numeric id, is `unreadable`.
 */
export function normalizeMessage(message: unknown, context: MessageContext): Normalized {
  return guarded(() => {
    if (!isObject(message)) throw notAnObject(message);
    if (typeof message.type !== 'string') throw new PoisonError('UNKNOWN_SHAPE', 'type: expected text');
    switch (message.type) {
      case 'incident':
        return normalized(incidentMessage(message, context));
      case 'event':
        return normalized(eventMessage(message, context));
      case 'event_keep_alive':
      case 'events_lineups':
        return otherMessage(message, message.type, context);
      default:
        return { kind: 'ignored', type: message.type };
    }
  });
}

/**
 * Normalizes an event's whole incident list. One unreadable or too large incident makes the whole list unreadable: a list
 * without that incident would remove it. An incident without `ut` gets the time of the response.
 */
export function normalizeSnapshot(records: SnapshotRecords, context: MessageContext): Normalized {
  return guarded(() => {
    const snapshot: Incident[] = [];
    for (const [index, record] of records.incidents.entries()) {
      const at = `incidents.${index}`;
      const fields = parse(incidentSchema, record, at);
      // The provider may list a deleted incident; it counts as absent.
      if (fields.action === 'delete') continue;
      const incident = incidentOf(fields, record as object, records.time);
      limitBytes([incident.body], MAX_MESSAGE_BYTES, at);
      snapshot.push(incident);
    }
    const deleted = (records.deleted ?? []).map((record, index) =>
      incidentOf(parse(incidentSchema, record, `deleted.${index}`), record as object, records.time),
    );
    limitBytes(
      snapshot.map(({ body }) => body),
      MAX_SNAPSHOT_BYTES,
      'incidents',
    );
    return normalized({
      ...base(records.messageId, records.eventId, records.time, context),
      type: 'incident_snapshot',
      snapshot,
      deleted,
    });
  });
}

type Raw = Record<string, unknown>;

function guarded(work: () => Normalized): Normalized {
  try {
    return work();
  } catch (error) {
    if (error instanceof PoisonError)
      return { kind: 'unreadable', code: error.published, reason: error.message };
    if (error instanceof CanonicalJsonError) {
      const code = error.code === 'TOO_DEEP' ? 'too_deep' : 'unknown_shape';
      return { kind: 'unreadable', code, reason: `message: ${error.message}` };
    }
    throw error;
  }
}

function normalized(message: NormalizedMessage): Normalized {
  return { kind: 'normalized', message };
}

function incidentMessage(message: Raw, context: MessageContext): NormalizedMessage {
  const fields = parse(incidentMessageSchema, message);
  const data = message.data as { incident: object; event: object };
  const incident = incidentOf(fields.data.incident, data.incident, Number(fields.ut));
  const event_fields = eventFields(data.event);
  limitBytes([...event_fields, incident.body], MAX_MESSAGE_BYTES);
  return {
    ...headOf(fields, Number(fields.data.event.id), context),
    type: 'incident',
    event_fields,
    incident: { deleted: fields.data.incident.action === 'delete', incident },
  };
}

function eventMessage(message: Raw, context: MessageContext): NormalizedMessage {
  const fields = parse(eventMessageSchema, message);
  const event_fields = eventFields((message.data as { event: object }).event);
  limitBytes(event_fields, MAX_MESSAGE_BYTES);
  return {
    ...headOf(fields, Number(fields.data.event.id), context),
    type: 'event',
    event_fields,
  };
}

function otherMessage(
  message: Raw,
  type: 'event_keep_alive' | 'events_lineups',
  context: MessageContext,
): Normalized {
  const fields = parse(ofEventSchema, message);
  const eventId = [fields.data.event?.id, fields.data.event_id, fields.data.id]
    .map(toWholeNumber)
    .find((id) => id !== null);
  if (eventId === undefined) return { kind: 'ignored', type };
  const body = canonicalJson(message.data);
  limitBytes([body], MAX_MESSAGE_BYTES);
  return normalized({ ...headOf(fields, eventId, context), type, body });
}

function base(
  messageId: string,
  eventId: number,
  ut: number,
  context: MessageContext,
): Omit<NormalizedMessage, 'type'> {
  return {
    message_id: messageId,
    uuid: null,
    source: null,
    origin: context.origin,
    delivery_id: context.deliveryId,
    event_id: eventId,
    ut,
    received_at: context.receivedAt,
    event_fields: [],
    incident: null,
    snapshot: null,
    body: null,
    unread: [],
    unreadable: null,
    deleted: [],
  };
}

function incidentOf(fields: IncidentFields, record: object, fallbackUt: number): Incident {
  return {
    id: fields.id,
    ut: toWholeNumber(fields.ut) ?? fallbackUt,
    incident_id: Number(fields.incident_id),
    participant_id: toWholeNumber(fields.participant_id),
    counts_for: fields.for ?? null,
    confirmation: fields.confirmation ?? null,
    event_status_id: toWholeNumber(fields.event_status_id),
    event_time: secondsOf(fields.event_time),
    parent_id: fields.parent_id || null,
    body: canonicalPart(record, bodyFields.of(record)),
    message_id: null,
  };
}

/** Parses "MM:SS". Returns seconds; null without a value. */
function secondsOf(time: string | null | undefined): number | null {
  if (!time) return null;
  const colon = time.indexOf(':');
  return Number(time.slice(0, colon)) * 60 + Number(time.slice(colon + 1));
}

/** Returns the event's fields by group. `action` is kept for a delete only: other actions describe just the message. */
function eventFields(event: object): string[] {
  const { action } = event as { action?: unknown };
  const parts = action === 'insert' || action === 'update' ? eventPartsWithoutAction : eventParts;
  return parts.of(event).map((part) => canonicalPart(event, part));
}

/** Returns the fields of a message beside its content. A `source` that is no number becomes null. */
function headOf({ id, uuid, source, ut }: Envelope, eventId: number, context: MessageContext) {
  const messageId = id ?? uuid ?? null;
  if (messageId === null) throw new PoisonError('UNKNOWN_SHAPE', 'id: expected an id or a uuid');
  const number = toWholeNumber(source);
  return {
    ...base(String(messageId), eventId, Number(ut), context),
    uuid: uuid ?? null,
    source: number !== null && number >= 0 && number <= INT_MAX ? number : null,
  };
}

function limitBytes(texts: readonly string[], maxBytes: number, at = 'message'): void {
  if (!fitsInBytes(texts, maxBytes)) {
    throw new PoisonError('TOO_LARGE', `${at}: more than ${maxBytes} bytes`);
  }
}

function parse<S extends z.ZodType>(schema: S, value: unknown, at = ''): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = [...(at === '' ? [] : [at]), ...(issue?.path ?? [])].join('.') || 'message';
  throw new PoisonError('UNKNOWN_SHAPE', `${path}: ${issue?.message ?? 'does not match the schema'}`);
}

/** Returns the error of a message that is no object. Throws `CanonicalJsonError` for absurd nesting, a possible attack. */
function notAnObject(message: unknown): Error {
  canonicalJson(message);
  return new PoisonError('UNKNOWN_SHAPE', 'message: expected an object');
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
