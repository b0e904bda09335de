import type { EventRecord, IncidentRecord, ProviderMessage } from '../records.ts';
import type { Timeline } from './timeline.ts';

/** An incident as the provider has it now. */
export type KnownIncident = {
  readonly record: IncidentRecord;
  /** When it was first told, Unix seconds. */
  readonly occurredAt: number;
  /** It was told more than once. */
  readonly updated: boolean;
  /** It was taken back by a delete: it is on no list but that of the deleted ones. */
  readonly removed: boolean;
};

/** An event as the provider has it now. */
export type KnownEvent = {
  readonly id: number;
  record: EventRecord;
  /** When it was first told, and when it last changed, its incidents included. Unix seconds. */
  readonly firstAt: number;
  changedAt: number;
  /** By id, in the order in which they were first told. */
  readonly incidents: Map<string, KnownIncident>;
};

/** What the provider knows at a time: the messages that it has told by then, folded. Its time never goes back. */
export class ProviderState {
  readonly #timeline: Timeline;
  readonly #isSilent: (message: ProviderMessage) => boolean;
  readonly #onSilent: () => void;
  readonly #events = new Map<number, KnownEvent>();
  #ordered: KnownEvent[] | null = null;
  #time = Number.NEGATIVE_INFINITY;

  /** `isSilent`: the feed does not tell the message; what it says happens all the same. `onSilent` is told of each. */
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

  /** Goes on to a time. One that is past changes nothing. */
  advanceTo(time: number): void {
    const to = Math.floor(time);
    if (to <= this.#time) return;
    for (const message of this.#timeline.between(this.#time + 1, to)) this.#apply(message);
    this.#time = to;
  }

  event(id: number): KnownEvent | undefined {
    return this.#events.get(id);
  }

  /** All events told of, by stage, group and id. */
  events(): readonly KnownEvent[] {
    this.#ordered ??= [...this.#events.values()].sort(
      ({ record: a }, { record: b }) =>
        a.stage_id - b.stage_id || (a.group_id ?? 0) - (b.group_id ?? 0) || a.id - b.id,
    );
    return this.#ordered;
  }

  /** The messages told so far whose `ut` is in the window, both ends included, in the order told. */
  *told(from: number, to: number): Generator<ProviderMessage> {
    for (const message of this.#timeline.between(from, Math.min(to, this.#time)))
      if (!this.#isSilent(message)) yield message;
  }

  #apply(message: ProviderMessage): void {
    const { ut } = message;
    const { incident, event } = message.data;
    // A sign of life says nothing of the event.
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
