import type { ProviderEvent, ProviderIncident, ProviderMessage } from '../records.ts';
import type { Timeline } from './timeline.ts';

/** An incident as the provider has it now. */
export type PublishedIncident = {
  readonly record: ProviderIncident;
  /** When it was first published, Unix seconds. */
  readonly occurredAt: number;
  /** It was published more than once. */
  readonly updated: boolean;
  /** A delete removed it: only the list of deleted incidents has it. */
  readonly removed: boolean;
};

/** An event as the provider has it now. */
export type KnownEvent = {
  readonly id: number;
  record: ProviderEvent;
  /** When it was first published, and when it last changed, its incidents included. Unix seconds. */
  readonly firstAt: number;
  changedAt: number;
  /** By id, in order of first publication. */
  readonly incidents: Map<string, PublishedIncident>;
};

/** The provider's state at a time: the fold of the messages published by then. Its time never goes back. */
export class ProviderState {
  readonly #timeline: Timeline;
  readonly #isSilent: (message: ProviderMessage) => boolean;
  readonly #onSilent: () => void;
  readonly #events = new Map<number, KnownEvent>();
  #ordered: KnownEvent[] | null = null;
  #time = Number.NEGATIVE_INFINITY;

  /** `isSilent`: the message is applied but not published; `onSilent` is called for each such message. */
  constructor(
    timeline: Timeline,
    isSilent: (message: ProviderMessage) => boolean = () => false,
    onSilent: () => void = () => {},
  ) {
    this.#timeline = timeline;
    this.#isSilent = isSilent;
    this.#onSilent = onSilent;
  }

  /** The provider's time, whole Unix seconds. */
  get time(): number {
    return this.#time;
  }

  /** Advances to a time; ignores one that is past. */
  advanceTo(time: number): void {
    const to = Math.floor(time);
    if (to <= this.#time) return;
    for (const message of this.#timeline.between(this.#time + 1, to)) this.#apply(message);
    this.#time = to;
  }

  event(id: number): KnownEvent | undefined {
    return this.#events.get(id);
  }

  /** All published events, by stage, group and id. */
  events(): readonly KnownEvent[] {
    this.#ordered ??= [...this.#events.values()].sort(
      ({ record: a }, { record: b }) =>
        a.stage_id - b.stage_id || (a.group_id ?? 0) - (b.group_id ?? 0) || a.id - b.id,
    );
    return this.#ordered;
  }

  /** The messages published so far whose `ut` is in the window, both ends included, in order of publication. */
  *published(from: number, to: number): Generator<ProviderMessage> {
    for (const message of this.#timeline.between(from, Math.min(to, this.#time)))
      if (!this.#isSilent(message)) yield message;
  }

  #apply(message: ProviderMessage): void {
    const { ut } = message;
    const { incident, event } = message.data;
    // A keep-alive has no fields of the event.
    if (!('participants' in event)) return;
    if (this.#isSilent(message)) this.#onSilent();
    let known = this.#events.get(event.id);
    if (known === undefined) {
      known = { id: event.id, record: event, firstAt: ut, changedAt: ut, incidents: new Map() };
      this.#events.set(event.id, known);
      this.#ordered = null;
    }
    known.record = event;
    known.changedAt = ut;
    if (incident === undefined) return;
    const before = known.incidents.get(incident.id);
    known.incidents.set(incident.id, {
      record: incident,
      occurredAt: before?.occurredAt ?? ut,
      updated: before !== undefined,
      removed: incident.action === 'delete',
    });
  }
}
