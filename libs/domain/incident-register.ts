import type { Cause, Incident, MatchIncident } from '#topics/generated/types.ts';
import { compareIds, IncidentIndex } from './incident-index.ts';

/** Law 3: how long an incident may take from being written to being listed, seconds. */
export const SETTLE_SECONDS = 5;

/** When an incident was deleted and listed; of its body null where only deletes have arrived. */
export type Presence = Readonly<Pick<MatchIncident, 'incident' | 'deleted_at' | 'listed_at'>>;

/**
 * Law 3: an incident is removed exactly when it was last known absent no earlier than last known present. An id with
 * deletes only is not removed: it never existed. `snapshotAt`: time of the event's latest snapshot, null without one.
 */
export function isRemoved(presence: Presence, snapshotAt: number | null): boolean {
  if (presence.incident === null) return false;
  return absentAt(presence, snapshotAt) >= presentAt(presence.incident, presence, snapshotAt);
}

/** When an incident with this body was last known present, Unix seconds. */
export function presentAt(
  { ut }: Pick<Incident, 'ut'>,
  { listed_at }: Pick<Presence, 'listed_at'>,
  snapshotAt: number | null,
): number {
  return snapshotAt !== null && listed_at === snapshotAt ? Math.max(ut, snapshotAt) : ut;
}

/** When an incident was last known absent, Unix seconds; minus infinity where it never was. */
export function absentAt(
  { deleted_at, listed_at }: Pick<Presence, 'deleted_at' | 'listed_at'>,
  snapshotAt: number | null,
): number {
  const deleted = deleted_at ?? Number.NEGATIVE_INFINITY;
  return snapshotAt === null || listed_at === snapshotAt
    ? deleted
    : Math.max(deleted, snapshotAt - SETTLE_SECONDS);
}

/** The register of one incident, as its record has it. Only `IncidentRegister` changes it; `cause`: null until stamped. */
export type IncidentEntry = Omit<MatchIncident, 'event_id' | 'cause'> & { cause: Cause | null };

/** An incident that a message changed, and its previous values. */
export type IncidentChange = {
  readonly entry: IncidentEntry;
  readonly before: Presence & { readonly removed: boolean };
};

/** What a message changed in the register. */
export type IncidentChanges = {
  /** By incident id. */
  readonly incidents: readonly IncidentChange[];
  /** The outcome of the goals may have changed. */
  readonly goals: boolean;
  /** The message's snapshot is now the latest, or changed the set of listed incidents. */
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
 * Law 1: whether a record wins over the one that stands: the higher `ut`, then the stronger confirmation, then the
 * larger canonical JSON by code units.
 */
export function outranks(record: Incident, standing: Incident): boolean {
  if (record.ut !== standing.ut) return record.ut > standing.ut;
  const strength = strengthOf(record) - strengthOf(standing);
  return strength !== 0 ? strength > 0 : record.body > standing.body;
}

function strengthOf({ confirmation }: Incident): number {
  return confirmation === null ? 0 : (CONFIRMATION_STRENGTH[confirmation] ?? 0);
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

  /** All incidents, in no order. */
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

  /** Applies the record of an incident message. A delete sets the time of the delete and leaves the body as it is. */
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

  /** Applies an event's whole incident list as it was at `time` (Unix seconds). */
  snapshot(incidents: readonly Incident[], time: number): IncidentChanges {
    const changes = new Map<string, IncidentChange>();
    const touch = (entry: IncidentEntry): void => {
      if (!changes.has(entry.id)) changes.set(entry.id, { entry, before: presenceOf(entry) });
    };
    let news = false;
    for (const incident of incidents) {
      const entry = this.#entry(incident.id);
      if (accepts(entry, incident)) {
        touch(entry);
        entry.incident = incident;
      }
      if (entry.listed_at === null || time > entry.listed_at) {
        touch(entry);
        entry.listed_at = time;
        news = true;
      }
    }
    if (this.#snapshotAt === null || time > this.#snapshotAt) {
      this.#snapshotAt = time;
      news = true;
      // The new list may remove incidents that it does not contain.
      for (const entry of this.#entries.values()) {
        if (isRemoved(entry, time) !== entry.removed) touch(entry);
      }
    }
    const byId = [...changes.values()].sort((a, b) => compareIds(a.entry.id, b.entry.id));
    return this.#settle(byId, news);
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
