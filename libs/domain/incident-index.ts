import {
  isCancellation,
  isCard,
  isGoal,
  isTimelineStart,
  type KnownIncident,
  type WithBody,
} from './goals.ts';
import { type LastOf, type Signal, signalsOf } from './guard.ts';
import { lowerBound } from './sorted.ts';

/** The type and presence of an incident when it was last indexed. */
type IndexedIncident = Pick<KnownIncident, 'incident' | 'removed' | 'missing'>;

const ABSENT: IndexedIncident = { incident: null, removed: false, missing: false };

/** The incidents that the laws read, by kind, in the order of ids (law 4). Moves only what changed: late messages cost the same. */
export class IncidentIndex {
  /** Number of incidents with a body. */
  known = 0;
  readonly goals: WithBody[] = [];
  readonly cancellations: WithBody[] = [];
  /** Yellow and red cards. */
  readonly cards: WithBody[] = [];
  /** Incidents of the timeline's start that are not removed. */
  readonly starts: WithBody[] = [];
  readonly removed: KnownIncident[] = [];
  readonly missing: KnownIncident[] = [];
  /** The id of the last incident that gives each signal. */
  readonly last: LastOf = {};
  /** All incidents that give each signal. */
  readonly #bySignal = new Map<Signal, WithBody[]>();

  constructor(incidents: Iterable<KnownIncident>) {
    for (const one of incidents) this.#update(one, ABSENT);
  }

  /** Indexes what changed in the register since it was last indexed. */
  apply(changed: readonly { readonly entry: KnownIncident; readonly before: IndexedIncident }[]): void {
    for (const { entry, before } of changed) this.#update(entry, before);
  }

  #update(now: KnownIncident, before: IndexedIncident): void {
    if (before.incident === null && now.incident !== null) this.known += 1;
    if (now.removed !== before.removed) (now.removed ? insert : remove)(this.removed, now);
    if (now.missing !== before.missing) (now.missing ? insert : remove)(this.missing, now);
    this.#signal(now, signalsOf(before), signalsOf(now));
    const from = this.#listOf(before);
    const to = this.#listOf(now);
    if (from !== null) remove(from, now);
    if (to !== null) insert(to, now as WithBody);
  }

  /** When the last interruption was written, Unix seconds; null without one. */
  get interruptedAt(): number | null {
    return this.#bySignal.get('interruption')?.at(-1)?.incident.ut ?? null;
  }

  /** Returns the list of an incident's kind; null if it has none. */
  #listOf({ incident, removed }: IndexedIncident): WithBody[] | null {
    if (incident === null) return null;
    if (isGoal(incident)) return this.goals;
    if (isCancellation(incident)) return this.cancellations;
    if (isCard(incident)) return this.cards;
    return isTimelineStart(incident) && !removed ? this.starts : null;
  }

  #signal(now: KnownIncident, before: readonly Signal[], after: readonly Signal[]): void {
    for (const signal of new Set([...before, ...after])) {
      const gives = after.includes(signal);
      if (before.includes(signal) === gives) continue;
      const incidents = this.#bySignal.get(signal) ?? [];
      this.#bySignal.set(signal, incidents);
      (gives ? insert : remove)(incidents, now as WithBody);
      this.last[signal] = incidents.at(-1)?.id;
    }
  }
}

function insert<T extends KnownIncident>(incidents: T[], one: T): void {
  incidents.splice(indexOf(incidents, one), 0, one);
}

function remove(incidents: KnownIncident[], one: KnownIncident): void {
  incidents.splice(indexOf(incidents, one), 1);
}

function indexOf(incidents: readonly KnownIncident[], one: KnownIncident): number {
  return lowerBound(incidents, ({ id }) => id < one.id);
}
