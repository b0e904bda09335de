import type { Incident } from '#topics/generated/types.ts';
import { isCancellation, isGoal, isRedCard, isTimelineStart, type KnownIncident } from './goals.ts';
import { type LastOf, type Signal, signalsOf } from './guard.ts';
import { lowerBound } from './sorted.ts';

/** Ids are compared as strings, by code units (law 4). */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The type and presence of an incident when it was last indexed. */
export type Indexed = Pick<KnownIncident, 'incident' | 'removed'>;

/** What the rules ask of a timeline, updated incident by incident. */
export class IncidentIndex {
  /** Incidents with a body. */
  known = 0;
  /** Incidents of goal types, by id. */
  readonly goals: KnownIncident[] = [];
  /** Incidents that cancel goals, by id. */
  readonly cancellations: KnownIncident[] = [];
  /** Red cards, by id. */
  readonly redCards: KnownIncident[] = [];
  /** Incidents of the timeline's start that are not removed. */
  readonly starts: KnownIncident[] = [];
  /** Removed incidents, by id. */
  readonly removed: KnownIncident[] = [];
  /** The last incident of each signal. */
  readonly last: LastOf = {};
  /** All that give a signal, by id. */
  readonly #giving = new Map<Signal, KnownIncident[]>();

  /** Indexes a changed incident. True where the change may affect the goals. */
  update(now: KnownIncident, before: Indexed): boolean {
    if (before.incident === null && now.incident !== null) this.known += 1;
    place(this.starts, now, before, ({ incident, removed }) => !removed && isA(incident, isTimelineStart));
    place(this.removed, now, before, ({ removed }) => removed);
    place(this.redCards, now, before, ({ incident }) => isA(incident, isRedCard));
    for (const signal of new Set([...signalsOf(before), ...signalsOf(now)])) this.#place(signal, now, before);
    const goals = place(this.goals, now, before, ({ incident }) => isA(incident, isGoal));
    return place(this.cancellations, now, before, ({ incident }) => isA(incident, isCancellation)) || goals;
  }

  #place(signal: Signal, now: KnownIncident, before: Indexed): void {
    const giving = this.#giving.get(signal) ?? [];
    place(giving, now, before, (one) => signalsOf(one).includes(signal));
    this.#giving.set(signal, giving);
    this.last[signal] = giving.at(-1)?.id;
  }
}

function isA(incident: Incident | null, kind: (incident: Incident) => boolean): boolean {
  return incident !== null && kind(incident);
}

/** Moves an incident into or out of a list; true where it is or was in it. */
function place(
  items: KnownIncident[],
  now: KnownIncident,
  before: Indexed,
  belongs: (one: Indexed) => boolean,
): boolean {
  const has = belongs(now);
  const had = belongs(before);
  if (has === had) return has;
  const at = lowerBound(items, ({ id }) => id < now.id);
  if (has) items.splice(at, 0, now);
  else items.splice(at, 1);
  return true;
}
