import type { Incident } from '#topics/generated/types.ts';
import { isCancellation, isGoal, isRedCard, isTimelineStart, type KnownIncident } from './goal-facts.ts';
import { type LastOf, type Signal, signalsOf } from './guard.ts';
import { lowerBound } from './sorted.ts';

/** The type and presence of an incident when it was last indexed. */
export type IndexedIncident = Pick<KnownIncident, 'incident' | 'removed' | 'missing'>;

/** The incidents that the laws read, by kind, each list in the order of ids (law 4). Updated incident by incident. */
export class IncidentIndex {
  /** Number of incidents with a body. */
  known = 0;
  /** Incidents of goal types. */
  readonly goals: KnownIncident[] = [];
  /** Incidents that cancel goals. */
  readonly cancellations: KnownIncident[] = [];
  readonly redCards: KnownIncident[] = [];
  /** Incidents of the timeline's start that are not removed. */
  readonly starts: KnownIncident[] = [];
  readonly removed: KnownIncident[] = [];
  readonly missing: KnownIncident[] = [];
  /** The id of the last incident that gives each signal. */
  readonly last: LastOf = {};
  /** All incidents that give each signal. */
  readonly #bySignal = new Map<Signal, KnownIncident[]>();

  /** Indexes a changed incident. `before`: what it was when it was last indexed. Returns whether the change may affect the goals. */
  update(now: KnownIncident, before: IndexedIncident): boolean {
    if (before.incident === null && now.incident !== null) this.known += 1;
    move(this.starts, now, before, ({ incident, removed }) => !removed && isA(incident, isTimelineStart));
    if (now.removed !== before.removed) move(this.removed, now, before, ({ removed }) => removed);
    if (now.missing !== before.missing) move(this.missing, now, before, ({ missing }) => missing);
    move(this.redCards, now, before, ({ incident }) => isA(incident, isRedCard));
    const signals = signalsOf(now);
    for (const signal of signals) this.#move(signal, now, before);
    for (const signal of signalsOf(before)) if (!signals.includes(signal)) this.#move(signal, now, before);
    const goals = move(this.goals, now, before, ({ incident }) => isA(incident, isGoal));
    return move(this.cancellations, now, before, ({ incident }) => isA(incident, isCancellation)) || goals;
  }

  /** When the last interruption was written, Unix seconds; null without one. */
  get interruptedAt(): number | null {
    return this.#bySignal.get('interruption')?.at(-1)?.incident?.ut ?? null;
  }

  #move(signal: Signal, now: KnownIncident, before: IndexedIncident): void {
    const incidents = this.#bySignal.get(signal) ?? [];
    move(incidents, now, before, (one) => signalsOf(one).includes(signal));
    this.#bySignal.set(signal, incidents);
    this.last[signal] = incidents.at(-1)?.id;
  }
}

function isA(incident: Incident | null, kind: (incident: Incident) => boolean): boolean {
  return incident !== null && kind(incident);
}

/** Adds an incident to a list or removes it from there. Returns whether the list has it, or had it before. */
function move(
  items: KnownIncident[],
  now: KnownIncident,
  before: IndexedIncident,
  belongs: (one: IndexedIncident) => boolean,
): boolean {
  const has = belongs(now);
  const had = belongs(before);
  if (has === had) return has;
  const at = lowerBound(items, ({ id }) => id < now.id);
  if (has) items.splice(at, 0, now);
  else items.splice(at, 1);
  return true;
}
