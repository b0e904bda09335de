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

export type ProviderState = ReturnType<typeof providerState>;

/**
 * Returns the provider's state at a time: the fold of the messages up to that time, which never goes back. `isSilent`: whether a message is
 * applied but not published; `onSilent` is called for each such message.
 */
export function providerState(
  timeline: Timeline,
  isSilent: (message: ProviderMessage) => boolean,
  onSilent: () => void,
) {
  const events = new Map<number, KnownEvent>();
  const apply = (message: ProviderMessage): void => {
    const { id, ut } = message;
    const { incident, event } = message.data;
    // A keep-alive has only the id of the event.
    if (!('participants' in event)) return;
    if (isSilent(message)) onSilent();
    const known = events.get(event.id) ?? {
      record: event,
      firstAt: ut,
      changedAt: ut,
      changedBy: id,
      incidents: new Map(),
    };
    events.set(event.id, known);
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
  };
  const state = {
    /** The provider's time, whole Unix seconds. */
    time: Number.NEGATIVE_INFINITY,
    /** Advances to a time; does nothing when the time is past. */
    advanceTo(time: number): void {
      const to = Math.floor(time);
      if (to <= state.time) return;
      for (const message of timeline.between(state.time + 1, to)) apply(message);
      state.time = to;
    },
    event: (id: number): KnownEvent | undefined => events.get(id),
    events: (): readonly KnownEvent[] =>
      [...events.values()].sort(
        ({ record: a }, { record: b }) =>
          a.stage_id - b.stage_id || (a.group_id ?? 0) - (b.group_id ?? 0) || a.id - b.id,
      ),
    /** Returns the messages published so far whose `ut` is in the window, both ends included, in order of publication. */
    published: (from: number, to: number): IteratorObject<ProviderMessage> =>
      timeline.between(from, Math.min(to, state.time)).filter((message) => !isSilent(message)),
  };
  return state;
}
