import type { Cause, Incident, MatchIncident } from '#topics/generated/types.ts';
import { isCancellation, isGoal, isRedCard, isTimelineStart, type KnownIncident } from './goals.ts';
import { type LastOf, type Signal, signalsOf } from './guard.ts';
import { lowerBound } from './sorted.ts';

/** Law 4: compares ids as strings, by code units. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Law 3: maximum time between the writing of an incident and its listing, seconds. */
export const SETTLE_SECONDS = 5;

/** When an incident was deleted and listed. `incident`: null when only deletes have arrived. */
type Presence = Readonly<Pick<MatchIncident, 'incident' | 'deleted_at' | 'listed_at'>>;

/**
 * Law 3: whether an incident is removed: it was last known absent no earlier than it was last known present. An id with
 * deletes only is not removed: it never existed. `snapshotAt`: time of the event's latest snapshot, Unix seconds; null
 * without one.
 */
export function isRemoved(presence: Presence, snapshotAt: number | null): boolean {
  if (presence.incident === null) return false;
  return absentAt(presence, snapshotAt) >= presentAt(presence.incident, presence, snapshotAt);
}

/** Returns when an incident with this body was last known present, Unix seconds. */
export function presentAt(
  { ut }: Pick<Incident, 'ut'>,
  { listed_at }: Pick<Presence, 'listed_at'>,
  snapshotAt: number | null,
): number {
  return snapshotAt !== null && listed_at === snapshotAt ? Math.max(ut, snapshotAt) : ut;
}

/** Returns when an incident was last known absent, Unix seconds; minus infinity if it never was. */
export function absentAt(
  { deleted_at, listed_at }: Pick<Presence, 'deleted_at' | 'listed_at'>,
  snapshotAt: number | null,
): number {
  const deleted = deleted_at ?? Number.NEGATIVE_INFINITY;
  return snapshotAt === null || listed_at === snapshotAt
    ? deleted
    : Math.max(deleted, snapshotAt - SETTLE_SECONDS);
}

/** The register of one incident, with the fields of its record. Only `IncidentRegister` changes it. `cause`: null until `stamp`. */
type IncidentEntry = Omit<MatchIncident, 'event_id' | 'cause'> & { cause: Cause | null };

/** An incident that a message changed, and its previous values. */
export type IncidentChange = {
  readonly entry: IncidentEntry;
  readonly before: Presence & { readonly removed: boolean };
};

/** What a message changed in the register. */
export type IncidentChanges = {
  /** By incident id. */
  readonly incidents: readonly IncidentChange[];
  /** Whether the outcome of the goals may have changed. */
  readonly goals: boolean;
  /** Whether the message's snapshot is now the latest one, or changed the set of listed incidents. */
  readonly snapshot: boolean;
};

export const NO_CHANGES: IncidentChanges = { incidents: [], goals: false, snapshot: false };

const UNKNOWN: IncidentChange['before'] = {
  incident: null,
  deleted_at: null,
  listed_at: null,
  removed: false,
};

const CONFIRMATION_STRENGTH: Readonly<Record<string, number>> = { tbd: 1, confirmed: 2, cancelled: 3 };

/**
 * Law 1: whether a record wins over the current one: by the higher `ut`, then by the stronger confirmation, then by the
 * larger canonical JSON by code units.
 */
export function outranks(record: Incident, current: Incident): boolean {
  if (record.ut !== current.ut) return record.ut > current.ut;
  const strength = strengthOf(record) - strengthOf(current);
  return strength !== 0 ? strength > 0 : record.body > current.body;
}

function strengthOf({ confirmation }: Incident): number {
  return confirmation === null ? 0 : (CONFIRMATION_STRENGTH[confirmation] ?? 0);
}

/** The type and presence of an incident when it was last indexed. */
type IndexedIncident = Pick<KnownIncident, 'incident' | 'removed'>;

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
  /** The id of the last incident that gives each signal. */
  readonly last: LastOf = {};
  /** All incidents that give each signal. */
  readonly #bySignal = new Map<Signal, KnownIncident[]>();

  /** Indexes a changed incident. Returns whether the change may affect the goals. */
  update(now: KnownIncident, before: IndexedIncident): boolean {
    if (before.incident === null && now.incident !== null) this.known += 1;
    move(this.starts, now, before, ({ incident, removed }) => !removed && isA(incident, isTimelineStart));
    move(this.removed, now, before, ({ removed }) => removed);
    move(this.redCards, now, before, ({ incident }) => isA(incident, isRedCard));
    for (const signal of new Set([...signalsOf(before), ...signalsOf(now)])) this.#move(signal, now, before);
    const goals = move(this.goals, now, before, ({ incident }) => isA(incident, isGoal));
    return move(this.cancellations, now, before, ({ incident }) => isA(incident, isCancellation)) || goals;
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

/** Laws 1 and 3: all incidents of an event, and which of them are removed. */
export class IncidentRegister {
  readonly index = new IncidentIndex();
  readonly #entries = new Map<string, IncidentEntry>();
  #snapshotAt: number | null = null;

  /** Restores a register from its records and the time of the latest snapshot. */
  static restore(records: Iterable<MatchIncident>, snapshotAt: number | null): IncidentRegister {
    const register = new IncidentRegister();
    register.#snapshotAt = snapshotAt;
    for (const record of records) {
      const entry = { ...record };
      register.#entries.set(entry.id, entry);
      register.index.update(entry, UNKNOWN);
    }
    return register;
  }

  /** Time of the latest snapshot, Unix seconds. */
  get snapshotAt(): number | null {
    return this.#snapshotAt;
  }

  get(id: string): Readonly<IncidentEntry> | undefined {
    return this.#entries.get(id);
  }

  /** Returns all incidents, in no particular order. */
  all(): Iterable<Readonly<IncidentEntry>> {
    return this.#entries.values();
  }

  /** Stamps these incidents with the version that changed them, and its cause. */
  stamp(changes: IncidentChanges, version: number, cause: Cause): void {
    for (const { entry } of changes.incidents) {
      entry.version = version;
      entry.cause = cause;
    }
  }

  /** Applies the record of an incident message. A delete sets only the time of the delete. */
  record(incident: Incident, deleted: boolean): IncidentChanges {
    const entry = this.#entry(incident.id);
    const before = presenceOf(entry);
    if (deleted) {
      if (entry.deleted_at !== null && entry.deleted_at >= incident.ut) return NO_CHANGES;
      entry.deleted_at = incident.ut;
    } else {
      if (!accepts(entry, incident)) return NO_CHANGES;
      entry.incident = incident;
    }
    return this.#settle([{ entry, before }], false);
  }

  /** Applies the complete incident list of an event at `time` (Unix seconds). */
  snapshot(incidents: readonly Incident[], time: number): IncidentChanges {
    const changes = new Map<string, IncidentChange>();
    const touch = (entry: IncidentEntry): void => {
      if (!changes.has(entry.id)) changes.set(entry.id, { entry, before: presenceOf(entry) });
    };
    let isNews = false;
    for (const incident of incidents) {
      const entry = this.#entry(incident.id);
      if (accepts(entry, incident)) {
        touch(entry);
        entry.incident = incident;
      }
      if (entry.listed_at === null || time > entry.listed_at) {
        touch(entry);
        entry.listed_at = time;
        isNews = true;
      }
    }
    if (this.#snapshotAt === null || time > this.#snapshotAt) {
      this.#snapshotAt = time;
      isNews = true;
      // The new list may remove incidents that it does not contain.
      for (const entry of this.#entries.values()) {
        if (isRemoved(entry, time) !== entry.removed) touch(entry);
      }
    }
    const byId = [...changes.values()].sort((a, b) => compareIds(a.entry.id, b.entry.id));
    return this.#settle(byId, isNews);
  }

  #settle(incidents: readonly IncidentChange[], snapshot: boolean): IncidentChanges {
    let goals = false;
    for (const { entry, before } of incidents) {
      entry.removed = isRemoved(entry, this.#snapshotAt);
      if (this.index.update(entry, before)) goals = true;
    }
    return { incidents, goals, snapshot };
  }

  #entry(id: string): IncidentEntry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    // Every record of an unknown incident is accepted, so that no entry stays empty.
    const entry = {
      id,
      incident: null,
      deleted_at: null,
      listed_at: null,
      removed: false,
      missing: false,
      version: 0,
      cause: null,
    };
    this.#entries.set(id, entry);
    return entry;
  }
}

function accepts({ incident }: IncidentEntry, record: Incident): boolean {
  return incident === null || outranks(record, incident);
}

function presenceOf({ incident, deleted_at, listed_at, removed }: IncidentEntry): IncidentChange['before'] {
  return incident === null && deleted_at === null ? UNKNOWN : { incident, deleted_at, listed_at, removed };
}
