import type { ProviderEvent, ProviderIncident, ProviderMessage } from '../records.ts';
import type { Timeline } from './timeline.ts';

/** `occurredAt`: when it was first published, Unix seconds. Only the list of deleted incidents has a removed one. */
export type PublishedIncident = Readonly<{
  record: ProviderIncident;
  occurredAt: number;
  updated: boolean;
  removed: boolean;
}>;

/** First published at `firstAt`, last changed at `changedAt`, Unix seconds. `changedBy`: id of the message that `record` is from. */
export type KnownEvent = {
  record: ProviderEvent;
  readonly firstAt: number;
  changedAt: number;
  changedBy: number;
  readonly incidents: Map<string, PublishedIncident>;
};

/** The provider's state at a time: the fold of the messages up to that time. The time never goes back. */
export class ProviderState {
  readonly #timeline: Timeline;
  readonly #isSilent: (message: ProviderMessage) => boolean;
  readonly #onSilent: () => void;
  readonly #events = new Map<number, KnownEvent>();
  /** The provider's time, whole Unix seconds. */
  time = Number.NEGATIVE_INFINITY;

  /** `isSilent`: whether a message is applied but not published; `onSilent` is called for each such message. */
  constructor(timeline: Timeline, isSilent: (message: ProviderMessage) => boolean, onSilent: () => void) {
    this.#timeline = timeline;
    this.#isSilent = isSilent;
    this.#onSilent = onSilent;
  }

  /** Advances to a time; does nothing when the time is past. */
  advanceTo(time: number): void {
    const to = Math.floor(time);
    if (to <= this.time) return;
    for (const message of this.#timeline.between(this.time + 1, to)) this.#apply(message);
    this.time = to;
  }

  event(id: number): KnownEvent | undefined {
    return this.#events.get(id);
  }

  events(): readonly KnownEvent[] {
    return [...this.#events.values()].sort(
      ({ record: a }, { record: b }) =>
        a.stage_id - b.stage_id || (a.group_id ?? 0) - (b.group_id ?? 0) || a.id - b.id,
    );
  }

  /** Returns the messages published so far whose `ut` is in the window, both ends included, in order of publication. */
  published(from: number, to: number): IteratorObject<ProviderMessage> {
    return this.#timeline
      .between(from, Math.min(to, this.time))
      .filter((message) => !this.#isSilent(message));
  }

  #apply(message: ProviderMessage): void {
    const { id, ut } = message;
    const { incident, event } = message.data;
    // A keep-alive has only the id of the event.
    if (!('participants' in event)) return;
    if (this.#isSilent(message)) this.#onSilent();
    const known = this.#events.get(event.id) ?? {
      record: event,
      firstAt: ut,
      changedAt: ut,
      changedBy: id,
      incidents: new Map(),
    };
    this.#events.set(event.id, known);
    // Of two messages of one second the one with the higher id is later, whichever was sent first.
    if (ut > known.changedAt || id >= known.changedBy) Object.assign(known, { record: event, changedBy: id });
    known.changedAt = ut;
    if (incident === undefined) return;
    const before = known.incidents.get(incident.id);
    known.incidents.set(incident.id, {
      // Lists have the time of the provider's database, whichever clock wrote the message.
      record: { ...incident, ut },
      occurredAt: before?.occurredAt ?? ut,
      updated: before !== undefined,
      removed: incident.action === 'delete',
    });
  }
}
