/**
 * Composes the webhook messages of a transition from the normalized message that caused it, in the provider's shape.
 * Pure. docs/decisions/0051 explains why a receiver that applies the laws derives the same state of the match.
 */

import { eventJson, eventRest, joinObjects, NO_SOURCE } from '#contract/provider-message.ts';
import { list, object } from '#domain/values.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type {
  Incident,
  IncidentPresence,
  MatchTransition,
  NormalizedMessage,
  WebhookMessage,
} from '#records/types.ts';

/** A message without what only the match knows. */
type ComposedMessage = Omit<WebhookMessage, 'in_play'>;

type ComposedMessages = {
  /** In order; three at most. */
  readonly messages: readonly ComposedMessage[];
  /**
   * The highest `ut` that the transition's incident was sent with, if above the provider's own; else null. Undefined: no
   * record of the incident was sent.
   */
  readonly sentUt?: number | null;
};

const NO_MESSAGES: ComposedMessages = { messages: [] };

type Action = 'insert' | 'update' | 'delete';

/** A record of an incident to send. */
type IncidentRecord = { readonly action: Action; readonly incident: Incident; readonly ut: number };

/**
 * Composes the messages of a transition: the incident that it changed, with its event; else the event of its cause, once
 * a version. `sentUt` is the previous result for the same incident; null without one.
 */
export function compose(
  transition: MatchTransition,
  cause: NormalizedMessage,
  sentUt: number | null,
): ComposedMessages {
  const { incident_presence: presence, n } = transition;
  if (presence === null) {
    const isEvent = n === 0 && cause.event_fields.length > 0;
    return isEvent ? { messages: [envelope(transition, cause, 0, null)] } : NO_MESSAGES;
  }
  const { records, sentUt: next } = incidentRecords(transition, presence, cause, sentUt);
  if (records.length === 0) {
    return cause.event_fields.length === 0
      ? NO_MESSAGES
      : { messages: [envelope(transition, cause, 0, null)] };
  }
  return { messages: records.map((record, part) => envelope(transition, cause, part, record)), sentUt: next };
}

type IncidentRecords = { readonly records: readonly IncidentRecord[]; readonly sentUt: number | null };

/**
 * Returns the records that make a receiver's register of the incident equal to ours, in body and presence. A receiver
 * knows times of bodies and of deletes only, so a snapshot's time is sent as one of these.
 */
function incidentRecords(
  { kind, incident_id: id }: MatchTransition,
  presence: IncidentPresence,
  cause: NormalizedMessage,
  sentUt: number | null,
): IncidentRecords {
  // A result changes the incidents that a list omits, so the cause may report another incident, or a record that lost.
  const own = cause.incident?.incident.id === id ? cause.incident : null;
  const incident =
    presence.incident ?? own?.incident ?? cause.deleted.find((deleted) => deleted.id === id) ?? null;
  // That a list omits an incident is no news of the provider yet.
  if (incident === null || kind === 'incident_missing') return { records: [], sentUt };
  const isReported = own !== null || cause.snapshot?.some((entry) => entry.id === id) === true;
  const hasBody = isReported ? own?.deleted !== true : kind !== 'incident_removed';
  if (presence.present_at === null) {
    // No body has arrived yet: only the delete is sent.
    return { records: [{ action: 'delete', incident, ut: presence.absent_at ?? incident.ut }], sentUt };
  }
  const absentAt = presence.absent_at ?? Number.NEGATIVE_INFINITY;
  const above = sentUt ?? Number.NEGATIVE_INFINITY;
  if (!presence.removed) {
    // A later list or record overruled the delete, but a receiver without the list would apply it.
    if (!hasBody) return { records: [], sentUt };
    // If only a list or the result shows that the incident is present, a time is sent at which no delete was.
    const isListed =
      incident.ut <= absentAt || (kind === 'incident_reinstated' && presence.incident !== null);
    const wanted = isListed ? Math.max(presence.present_at, absentAt + 1) : incident.ut;
    const ut = wanted > above ? wanted : above + 1;
    const action = kind === 'incident_added' ? 'insert' : 'update';
    return { records: [{ action, incident, ut }], sentUt: ut > incident.ut ? ut : null };
  }
  if (!hasBody) return { records: [{ action: 'delete', incident, ut: Math.max(absentAt, above) }], sentUt };
  const ut = incident.ut > above ? incident.ut : above + 1;
  const gone: IncidentRecord = { action: 'delete', incident, ut: Math.max(absentAt, ut) };
  // The delete comes first, so that no receiver shows the body, and again last, for receivers that apply in order.
  return {
    records: [gone, { action: 'update', incident, ut }, gone],
    sentUt: ut > incident.ut ? gone.ut : null,
  };
}

function envelope(
  { event_id: eventId, version, n, competition_id, outranked }: MatchTransition,
  cause: NormalizedMessage,
  part: number,
  record: IncidentRecord | null,
): ComposedMessage {
  const parts = { eventId, version, n, part };
  const [id, uuid] = [messageId(parts), messageUuid(parts)];
  const rest = eventRest(cause);
  // A receiver orders the messages of one second by our ids, so what another one of that second decides is not sent again.
  const reported = outranked.length === 0 ? cause : withoutFields(cause, new Set(outranked));
  const isEventKnown = cause.event_fields.length > 0;
  // The event's fields have the time of its message; a record from a list has its own time only.
  const ut = isEventKnown || record === null ? cause.ut : record.ut;
  const head = `{${id === null ? '' : `"id":${id},`}"uuid":"${uuid}","type":"${record === null ? 'event' : 'incident'}","source":${cause.source ?? NO_SOURCE},"ut":${ut},"data":{`;
  const event = eventJson(reported, rest, version === 1 ? 'insert' : 'update');
  const incident = record === null ? '' : `"incident":${incidentJson(record, ut, event)},`;
  return {
    uuid,
    id,
    event_id: eventId,
    competition_id: competition_id ?? toWholeNumber(rest.competition_id),
    type: record === null ? 'event' : 'incident',
    version,
    ut: cause.ut,
    received_at: cause.received_at,
    message_id: cause.message_id,
    message: Buffer.from(`${head}${incident}"event":${event}}}`),
  };
}

/** Returns the event of a message without these fields, named as in the `outranked` of a transition. */
function withoutFields(
  { event_id, event_fields }: NormalizedMessage,
  outranked: ReadonlySet<string>,
): Pick<NormalizedMessage, 'event_id' | 'event_fields'> {
  const parts = event_fields.map((part) => {
    const { participants, ...others } = JSON.parse(part) as JsonObject;
    // Only a delete is known here, and what outranks it is a delete too: each message has an action.
    const kept = Object.entries(others).filter(([name]) => name === 'action' || !outranked.has(name));
    const sides = list(participants).flatMap((item) => {
      const side = object(item);
      return side === null ? [] : withoutSideFields(side, outranked);
    });
    return canonicalJson({
      ...Object.fromEntries(kept),
      ...(sides.length === 0 ? {} : { participants: sides }),
    });
  });
  return { event_id, event_fields: parts };
}

function withoutSideFields(side: JsonObject, outranked: ReadonlySet<string>): JsonObject | [] {
  const { results, ...own } = side;
  const slot = `participants.${toWholeNumber(side.counter)}`;
  const hasResults = results !== undefined && !outranked.has(`${slot}.results`);
  if (outranked.has(slot)) return hasResults ? { counter: side.counter, results } : [];
  return hasResults ? side : own;
}

/**
 * Returns a record as JSON, with `ut` if that differs from its own, or from the message's if it has none, and with the phase
 * that it took from the event of its own message (law 1) if `event`, as JSON the event that it is sent with, does not say it.
 */
function incidentJson({ action, incident, ut }: IncidentRecord, messageUt: number, event: string): string {
  const { body, event_status_id: phase } = incident;
  const known: JsonObject = JSON.parse(body);
  const changed: Record<string, unknown> = {};
  if ((toWholeNumber(known.ut) ?? messageUt) !== ut) changed.ut = ut;
  if (phase !== null && phase !== phaseOf(known, event)) changed.event_status_id = phase;
  const text = Object.keys(changed).length === 0 ? body : canonicalJson({ ...known, ...changed });
  return joinObjects(text, `{"action":"${action}"}`);
}

/** Returns the phase that a receiver reads of an incident: its own, else the status of the event that it arrives with. */
function phaseOf(known: JsonObject, event: string): number | null {
  return toWholeNumber(known.event_status_id) ?? toWholeNumber((JSON.parse(event) as JsonObject).status_id);
}

/**
 * The parts of a message's id: the n-th transition of a version of an event, and one of its messages. Both ids are functions of
 * them, so that they are the same at every attempt, after every restart and in every replay (docs/decisions/0051 has the
 * arithmetic).
 */
export type MessageIdParts = {
  readonly eventId: number;
  /** From 1. */
  readonly version: number;
  readonly n: number;
  /** From 0 to 2: a transition has at most three messages. */
  readonly part: number;
};

const MAX_EVENTS = 2 ** 26;
const NUMBERS_PER_EVENT = 2 ** 27;
const MAX_PARTS = 4;

/** Two splits of an event's numbers among its versions: for versions with few transitions, as most, and with many. */
const FEW = { versions: 2 ** 20, transitions: 2 ** 4 };
const MANY = { versions: 2 ** 13, transitions: 2 ** 11 };

/**
 * Returns the number of a message: positive, below 2^53 and unique. Null beyond the bounds: an event id from 2^26, a
 * version from 2^20, or from 2^13 for a transition from 16, or a transition from 2^11.
 */
export function messageId({ eventId, version, n, part }: MessageIdParts): number | null {
  const split = n < FEW.transitions ? FEW : MANY;
  if (eventId < 1 || eventId >= MAX_EVENTS || version >= split.versions || n >= split.transitions)
    return null;
  const inSplit = (version * split.transitions + n) * MAX_PARTS + part;
  return eventId * NUMBERS_PER_EVENT + inSplit * 2 + (split === FEW ? 0 : 1);
}

/** Returns the text id of a message, without bounds: the id of its transition, and the part if that is not 0. */
export function messageUuid({ eventId, version, n, part }: MessageIdParts): string {
  return `${eventId}:${version}:${n}${part === 0 ? '' : `:${part}`}`;
}
