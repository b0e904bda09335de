import type { Incident } from '#topics/generated/types.ts';
import { isCancellation, isGoal, isRedCard, isTimelineStart, type KnownIncident } from './goals.ts';
import { type LastOf, SIGNALS, type Signal, signalsOf } from './guard.ts';
import { lowerBound } from './sorted.ts';

/** Ids are compared as strings, by code units (law 4). */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The index of `id`, or where to insert it, in items sorted by id. */
function position(items: readonly { readonly id: string }[], id: string): number {
  return lowerBound(items, (item) => item.id < id);
}

/** Inserts an item into a list sorted by id, unless the list has one of that id. */
function insertById<T extends { readonly id: string }>(items: T[], item: T): void {
  const at = position(items, item.id);
  if (items[at]?.id !== item.id) items.splice(at, 0, item);
}

/** Removes the item of that id from a list sorted by id. */
function removeById<T extends { readonly id: string }>(items: T[], id: string): void {
  const at = position(items, id);
  if (items[at]?.id === id) items.splice(at, 1);
}

/** The type and presence of an incident when it was last indexed. */
export type Indexed = Pick<KnownIncident, 'incident' | 'removed'>;

/**
 * What the rules ask of a timeline, updated incident by incident. The whole timeline is scanned again only where the
 * last incident of a signal no longer gives it.
 */
export class IncidentIndex {
  /** Incidents of goal types, by id. */
  readonly goals: KnownIncident[] = [];
  /** Incidents that cancel goals, by id. */
  readonly cancellations: KnownIncident[] = [];
  /** Red cards, by id. */
  readonly redCards: KnownIncident[] = [];
  /** Incidents with a body. */
  known = 0;
  /** Incidents of the timeline's start that are not removed. */
  starts = 0;
  /** Removed incidents, by id. */
  readonly removed: KnownIncident[] = [];
  readonly #last: Partial<Record<Signal, string>> = {};
  /** Signals, as bits, whose last incident must be searched again. */
  #lost = 0;

  /** Indexes a changed incident. True where the change may affect the goals. */
  update(now: KnownIncident, before: Indexed): boolean {
    if (before.incident === null && now.incident !== null) this.known += 1;
    this.starts += startsOf(now) - startsOf(before);
    if (now.removed !== before.removed) {
      if (now.removed) insertById(this.removed, now);
      else removeById(this.removed, now.id);
    }
    this.#updateSignals(now, before);
    place(this.redCards, now, before, isRedCard);
    const goals = place(this.goals, now, before, isGoal);
    return place(this.cancellations, now, before, isCancellation) || goals;
  }

  /** The last incident of each signal; searches `all` where the last one was lost. */
  last(all: Iterable<KnownIncident>): LastOf {
    if (this.#lost !== 0) this.#findLost(all);
    return this.#last;
  }

  #updateSignals(now: KnownIncident, before: Indexed): void {
    const had = signalsOf(before.incident, before.removed);
    const has = signalsOf(now.incident, now.removed);
    for (let bits = has & ~had; bits !== 0; bits &= bits - 1) this.#give(bitOf(bits), now.id);
    for (let bits = had & ~has; bits !== 0; bits &= bits - 1) {
      const signal = SIGNALS[bitOf(bits)];
      if (signal !== undefined && this.#last[signal] === now.id) this.#lost |= bits & -bits;
    }
  }

  #findLost(all: Iterable<KnownIncident>): void {
    const lost = this.#lost;
    this.#lost = 0;
    SIGNALS.forEach((signal, bit) => {
      if (lost & (1 << bit)) delete this.#last[signal];
    });
    for (const { id, incident, removed } of all) {
      for (let bits = signalsOf(incident, removed) & lost; bits !== 0; bits &= bits - 1)
        this.#give(bitOf(bits), id);
    }
  }

  #give(bit: number, id: string): void {
    const signal = SIGNALS[bit];
    if (signal === undefined) return;
    const last = this.#last[signal];
    if (last === undefined || id > last) this.#last[signal] = id;
  }
}

/** The lowest bit that is set. */
function bitOf(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function startsOf({ incident, removed }: Indexed): number {
  return incident !== null && !removed && isTimelineStart(incident) ? 1 : 0;
}

/** Moves an incident into or out of a list; true where it is or was in it. */
function place(
  items: KnownIncident[],
  now: KnownIncident,
  before: Indexed,
  belongs: (incident: Incident) => boolean,
): boolean {
  const has = now.incident !== null && belongs(now.incident);
  const had = before.incident !== null && belongs(before.incident);
  if (has && !had) insertById(items, now);
  else if (had && !has) removeById(items, now.id);
  return has || had;
}
