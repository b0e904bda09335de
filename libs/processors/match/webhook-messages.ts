/** The webhook messages of a match's transitions, in the provider's shape (docs/decisions/0051). */

import { messageJson, providerEvent, providerIncident } from '#contract/provider-message.ts';
import { NO_SOURCE } from '#domain/event.ts';
import type { AppliedMessage } from '#domain/match.ts';
import {
  EVENT_FIELDS,
  type Event,
  type EventParticipant,
  type Incident,
  type IncidentPresence,
  type MatchTransition,
  type NormalizedMessage,
  type WebhookMessage,
} from '#records/types.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { RecordCollector } from '#streams/runtime/processor.ts';
import { fetchSchemas } from '#topics/codec.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { type NameTopic, TOPICS } from '#topics/topics.ts';

/** The topics that the composer writes. */
export const WEBHOOK_TOPICS = ['webhook-messages', 'webhook-times'] as const;

type WebhookComposerOptions = {
  readonly codecs: CodecsOf<(typeof WEBHOOK_TOPICS)[number]>;
  readonly topicName: NameTopic;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const RETENTION_MS = TOPICS['webhook-messages'].retentionMs;

/** Maximum bytes of messages of a list with its event's fields; above it only the first has them: no product of incidents and event. */
const MAX_REPEATED_BYTES = 2 * 1024 * 1024;

/** Composes the webhook messages of the transitions of one partition, for the transaction of these transitions. */
export class WebhookComposer {
  readonly #options: WebhookComposerOptions;
  /** The `sentUt` of each incident (see `compose`), by key. */
  readonly #sentUts = new Map<string, number>();

  constructor(options: WebhookComposerOptions) {
    this.#options = options;
  }

  async restore(records: readonly ConsumedRecord[]): Promise<void> {
    const codec = this.#options.codecs['webhook-times'];
    await fetchSchemas(codec, records);
    for (const { key, value } of records) {
      if (value === null) this.#sentUts.delete(String(key));
      else this.#sentUts.set(String(key), codec.decode(value).ut);
    }
  }

  add(
    { transitions, inPlay: in_play }: Pick<AppliedMessage, 'transitions' | 'inPlay'>,
    cause: NormalizedMessage,
    collector: RecordCollector,
  ): void {
    const { codecs, topicName, now } = this.#options;
    // After a rebuild the input has a year of expired messages.
    if (cause.received_at < now() - RETENTION_MS) return;
    let left = cause;
    for (const transition of transitions) {
      const { event_id, incident_id, n, incident_presence } = transition;
      // The messages of a version's first transition cover its changes that are not of an incident.
      if (n > 0 && incident_presence === null) continue;
      const key = `${event_id}/${incident_id}`;
      const composed = compose(transition, left, this.#sentUts.get(key) ?? null);
      for (const message of composed.messages) {
        const value = codecs['webhook-messages'].encode({ ...message, in_play });
        collector.add(topicName('webhook-messages'), String(event_id), value);
        if (message.message.length * transitions.length > MAX_REPEATED_BYTES)
          left = { ...cause, event: null };
      }
      const ut = composed.sentUt;
      if (ut === undefined || incident_id === null) continue;
      if (ut !== null) this.#sentUts.set(key, ut);
      else if (!this.#sentUts.delete(key)) continue;
      const time = ut === null ? null : codecs['webhook-times'].encode({ event_id, id: incident_id, ut });
      collector.add(topicName('webhook-times'), key, time);
    }
  }
}

/** A message without what only the match knows. */
type ComposedMessage = Omit<WebhookMessage, 'in_play'>;

type ComposedMessages = {
  /** In order; three at most. */
  readonly messages: readonly ComposedMessage[];
  /** The highest `ut` that the incident was sent with, if above the provider's own; undefined: it was not sent. */
  readonly sentUt?: number | null;
};

type Action = 'insert' | 'update' | 'delete';

type IncidentRecord = { readonly action: Action; readonly incident: Incident; readonly ut: number };

/** Composes the messages of a transition: its incident with its event, else its cause's event once. Pure. `sentUt`: as last returned. */
export function compose(
  transition: MatchTransition,
  cause: NormalizedMessage,
  sentUt: number | null,
): ComposedMessages {
  const { incident_presence: presence, n } = transition;
  if (presence !== null) {
    const { records, sentUt: next } = incidentRecords(transition, presence, cause, sentUt);
    if (records.length > 0)
      return { messages: records.map((one, part) => envelope(transition, cause, part, one)), sentUt: next };
  }
  const isEvent = cause.event !== null && (presence !== null || n === 0);
  return { messages: isEvent ? [envelope(transition, cause, 0, null)] : [] };
}

/** Returns the records that make a receiver's incident equal to ours. It knows bodies and deletes alone: a snapshot's time is sent as one. */
function incidentRecords(
  { kind, incident_id: id }: MatchTransition,
  presence: IncidentPresence,
  cause: NormalizedMessage,
  sentUt: number | null,
): { readonly records: readonly IncidentRecord[]; readonly sentUt: number | null } {
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
  { event_id: eventId, version, n, match: { competition_id }, outranked }: MatchTransition,
  cause: NormalizedMessage,
  part: number,
  record: IncidentRecord | null,
): ComposedMessage {
  const parts = { eventId, version, n, part };
  const [id, uuid] = [messageId(parts), messageUuid(parts)];
  // A receiver orders the messages of one second by our ids, so what another one of that second decides is not sent again.
  const event =
    cause.event === null || outranked.length === 0
      ? cause.event
      : withoutFields(cause.event, new Set(outranked));
  const type = record === null ? 'event' : 'incident';
  // The event's fields have the time of its message; a record from a list has its own time only.
  const ut = cause.event !== null || record === null ? cause.ut : record.ut;
  const subject =
    record === null
      ? {}
      : { incident: { ...providerIncident(record.incident, record.action), ut: record.ut } };
  const head = { ...(id === null ? {} : { id }), uuid, type, source: cause.source ?? NO_SOURCE, ut };
  const json = messageJson(head, subject, providerEvent(eventId, event, version === 1 ? 'insert' : 'update'));
  return {
    uuid,
    id,
    event_id: eventId,
    competition_id: competition_id ?? cause.event?.competition_id ?? null,
    type,
    version,
    ut: cause.ut,
    received_at: cause.received_at,
    message_id: cause.message_id,
    message: Buffer.from(json),
  };
}

/** Returns an event without these fields, named as in the `outranked` of a transition. */
function withoutFields(event: Event, outranked: ReadonlySet<string>): Event {
  const isKept = (name: string): boolean => !outranked.has(name);
  const left = Object.fromEntries(EVENT_FIELDS.filter((name) => !isKept(name)).map((name) => [name, null]));
  return {
    ...event,
    ...left,
    // Only a delete is known here, and what outranks it is a delete too: each message has an action.
    action: event.action,
    nulls: event.nulls.filter(isKept),
    other: Object.fromEntries(Object.entries(event.other).filter(([name]) => isKept(name))),
    participants: event.participants.flatMap((side) => withoutSideFields(side, isKept)),
  };
}

function withoutSideFields(side: EventParticipant, isKept: (name: string) => boolean): EventParticipant[] {
  const { counter, results } = side;
  const slot = `participants.${counter}`;
  const kept = isKept(`${slot}.results`) ? results : [];
  if (isKept(slot)) return [{ ...side, results: kept }];
  if (kept.length === 0) return [];
  const names = Object.keys(side);
  const left = Object.fromEntries(names.map((name) => [name, null])) as Record<keyof EventParticipant, null>;
  return [{ ...left, counter, results: kept, stats: [], other: {} }];
}

/** The parts of a message's id, the same at every attempt and in every replay (docs/decisions/0051 has the arithmetic). */
export type MessageIdParts = {
  readonly eventId: number;
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
