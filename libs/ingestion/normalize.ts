/** Normalizes the provider's messages and records. They are parsed only here; all later code trusts the types. */
import type { z } from 'zod';
import type { DeadLetterCode } from '#errors/catalogue.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import { CanonicalJsonError, canonicalJson } from '#json/canonical-json.ts';
import { fitsInBytes, toWholeNumber } from '#json/values.ts';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { eventPartsOf } from './event-parts.ts';
import { base, headOf, isAhead, type MessageContext, plausibleTime, sortedPaths } from './head.ts';
import { incidentOf, reportedBy } from './incident.ts';
import { canonicalWord, isEmpty } from './kinds.ts';
import { markOf, markOfMessage } from './marks.ts';
import {
  type ExactEvent,
  eventMessageSchema,
  incidentFields,
  incidentMessageSchema,
  incidentSchema,
  ofEventSchema,
} from './messages.ts';
import { isRecord, type RawRecord, repairRecord } from './records.ts';
import { repairMessage, repairOfEvent } from './repair.ts';

/** The result of normalizing a message. */
export type Normalized =
  | { readonly kind: 'normalized'; readonly message: NormalizedMessage }
  /** A well-formed message of an unused type. */
  | { readonly kind: 'ignored'; readonly type: string }
  /**
   * `reason` is one line that names the path, never a value. `mark`: the message that says so to its match; null where the
   * match cannot be read or has lost nothing.
   */
  | {
      readonly kind: 'unreadable';
      readonly code: DeadLetterCode;
      readonly reason: string;
      readonly mark: NormalizedMessage | null;
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

/**
 * Normalizes one provider message, as parsed from JSON. Never throws. A message of an unknown type is `ignored`; one without
 * a readable id, type, time, event id, or the id and type of its incident, is `unreadable`. Other fields that cannot be read
 * are left out, and named in `unread`. `index`: that of the message in its delivery.
 */
export function normalizeMessage(message: unknown, context: MessageContext, index = 0): Normalized {
  return guarded(
    () => {
      if (!isRecord(message)) throw notAnObject(message);
      return ofType(message, message.type, context);
    },
    (reason) => markOfMessage(message, reason, context, index),
  );
}

function ofType(message: RawRecord, type: unknown, context: MessageContext): Normalized {
  if (typeof type !== 'string' || isEmpty(type))
    throw new PoisonError('UNKNOWN_SHAPE', 'type: expected text');
  switch (type) {
    case 'incident':
      return normalized(incidentMessage(message, context));
    case 'event':
      return normalized(eventMessage(message, context));
    case 'event_keep_alive':
    case 'events_lineups':
      return otherMessage(message, type, context);
    default: {
      const word = canonicalWord(type);
      return word === type ? { kind: 'ignored', type } : ofType(message, word, context);
    }
  }
}

/**
 * Normalizes an event's whole incident list. One unreadable or too large incident makes the whole list unreadable: a list
 * without that incident would remove it. An incident without `ut` gets the time of the response.
 */
export function normalizeSnapshot(records: SnapshotRecords, context: MessageContext): Normalized {
  return guarded(
    () => {
      const unread: string[] = [];
      const time = plausibleTime(records.time, context, 'timestamp', unread);
      const snapshot: Incident[] = [];
      const deleted: Incident[] = [];
      const readAll = (list: 'incidents' | 'deleted'): void => {
        for (const [index, record] of (records[list] ?? []).entries()) {
          const { action, incident } = listed(record, { list, index, time }, context, unread);
          // The provider may list a deleted incident; it counts as absent.
          (list === 'deleted' || action === 'delete' ? deleted : snapshot).push(incident);
        }
      };
      readAll('incidents');
      readAll('deleted');
      const bodies = [...snapshot, ...deleted].map(({ body }) => body);
      limitBytes(bodies, MAX_SNAPSHOT_BYTES, 'incidents');
      return normalized({
        ...base(records.messageId, records.eventId, time, context),
        content_at: records.time * 1_000,
        type: 'incident_snapshot',
        snapshot,
        deleted,
        unread: sortedPaths(unread),
      });
    },
    (reason) => markOf(records, reason, context),
  );
}

/** Where an entry is: its list, and the time of the lists. */
type Entry = { readonly list: 'incidents' | 'deleted'; readonly index: number; readonly time: number };

/** Reads an entry of a list. Adds to `unread` what cannot be read of it. */
function listed(record: unknown, { list, index, time }: Entry, context: MessageContext, unread: string[]) {
  const [at, path] = [`${list}.${index}`, `${list}.*`];
  const repair = (left: Set<string>) =>
    isRecord(record) ? repairRecord(record, incidentFields, path, left) : record;
  return readExactly(record, incidentSchema, { repair, at }, (fields, read, left) => {
    const incident = incidentOf(fields, read as RawRecord, { context, ut: time, path }, left);
    limitBytes([incident.body], MAX_MESSAGE_BYTES, at);
    unread.push(...left);
    return { action: fields.action, incident };
  });
}

/**
 * Reads a record in its exact form, else a repaired copy of it. `build` gets the parsed fields, what they were parsed from, and
 * the paths of what is left out. Throws `PoisonError` with the path below `at`, and what `build` throws.
 */
function readExactly<S extends z.ZodType, T>(
  record: unknown,
  schema: S,
  { repair, at = '' }: { repair: (unread: Set<string>) => unknown; at?: string },
  build: (fields: z.output<S>, read: unknown, unread: string[]) => T,
): T {
  const exact = schema.safeParse(record);
  if (exact.success) {
    try {
      return build(exact.data, record, []);
    } catch (error) {
      // An unknown field without a canonical form; the repair leaves it out.
      if (!(error instanceof CanonicalJsonError)) throw error;
    }
  }
  const unread = new Set<string>();
  const repaired = repair(unread);
  return build(parse(schema, repaired, at), repaired, [...unread]);
}

function guarded(work: () => Normalized, markOf: (reason: string) => NormalizedMessage | null): Normalized {
  const unreadable = (code: DeadLetterCode, reason: string): Normalized => ({
    kind: 'unreadable',
    code,
    reason,
    mark: markOf(reason),
  });
  try {
    return work();
  } catch (error) {
    if (error instanceof PoisonError) return unreadable(error.published, error.message);
    if (error instanceof CanonicalJsonError) {
      const code = error.code === 'TOO_DEEP' ? 'too_deep' : 'unknown_shape';
      return unreadable(code, `message: ${error.message}`);
    }
    throw error;
  }
}

function normalized(message: NormalizedMessage): Normalized {
  return { kind: 'normalized', message };
}

function incidentMessage(message: RawRecord, context: MessageContext): NormalizedMessage {
  const repair = (unread: Set<string>) => repairMessage(message, unread);
  return readExactly(message, incidentMessageSchema, { repair }, (fields, read, unread) => {
    const { data } = read as { data: { incident: object; event: object } };
    const head = headOf(fields, Number(fields.data.event.id), context, unread);
    const found = { context, ut: head.ut, path: 'incident' };
    const incident = reportedBy(
      incidentOf(fields.data.incident, data.incident, found, unread),
      head.message_id,
      fields.data.event,
    );
    const event_fields = eventFieldsOf(data.event, fields.data.event, head.ut, context, unread);
    limitBytes([...event_fields, incident.body], MAX_MESSAGE_BYTES);
    return {
      ...head,
      type: 'incident',
      event_fields,
      incident: { deleted: fields.data.incident.action === 'delete', incident },
      unread: sortedPaths(unread),
    };
  });
}

function eventMessage(message: RawRecord, context: MessageContext): NormalizedMessage {
  const repair = (unread: Set<string>) => repairMessage(message, unread);
  return readExactly(message, eventMessageSchema, { repair }, (fields, read, unread) => {
    const { data } = read as { data: { event: object } };
    const head = headOf(fields, Number(fields.data.event.id), context, unread);
    const event_fields = eventFieldsOf(data.event, fields.data.event, head.ut, context, unread);
    limitBytes(event_fields, MAX_MESSAGE_BYTES);
    return { ...head, type: 'event', event_fields, unread: sortedPaths(unread) };
  });
}

/** Returns the fields of an event by group, with the time of its message instead of one of a wrong clock. */
function eventFieldsOf(
  record: object,
  { ut }: Pick<ExactEvent, 'ut'>,
  messageUt: number,
  context: MessageContext,
  unread: string[],
): string[] {
  const own = toWholeNumber(ut);
  if (own === null || !isAhead(own, context)) return eventPartsOf(record);
  unread.push('event.ut');
  return eventPartsOf({ ...record, ut: messageUt });
}

function otherMessage(
  message: RawRecord,
  type: 'event_keep_alive' | 'events_lineups',
  context: MessageContext,
): Normalized {
  const repair = (unread: Set<string>) => repairOfEvent(message, unread);
  return readExactly(message, ofEventSchema, { repair }, (fields, read, unread): Normalized => {
    const eventId = [fields.data.event?.id, fields.data.event_id, fields.data.id]
      .map(toWholeNumber)
      .find((id) => id !== null);
    if (eventId === undefined) {
      if (unread.length === 0) return { kind: 'ignored', type };
      throw new PoisonError('UNKNOWN_SHAPE', 'data: expected the id of an event');
    }
    const body = canonicalJson((read as RawRecord).data);
    limitBytes([body], MAX_MESSAGE_BYTES);
    const head = headOf(fields, eventId, context, unread);
    return normalized({ ...head, type, body, unread: sortedPaths(unread) });
  });
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
