import { each } from '#json/records.ts';
import type { Cause, Incident, MatchIncident } from '#records/types.ts';
import { incidentText, sameValue } from './event.ts';
import { compareMessageIds, comparePositions } from './message-key.ts';

/** Law 4: compares ids as strings, by code units. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The register of one incident, with the fields of its record. Only `IncidentRegister` changes it. `cause`: null until `stamp`. */
type IncidentEntry = Omit<MatchIncident, 'event_id' | 'cause'> & { cause: Cause | null };

/** The entries that a message changes, with their values before it. */
type Touched = Map<IncidentEntry, IncidentChange['before']>;

/** An incident that a message changed, and its previous values. */
export type IncidentChange = {
  readonly entry: IncidentEntry;
  readonly before: Presence & { readonly removed: boolean; readonly missing: boolean };
};

/** What a message changed in the register. */
export type IncidentChanges = {
  /** By incident id. */
  readonly incidents: readonly IncidentChange[];
  /** Whether the message's snapshot is now the latest one, or changed the set of listed incidents. */
  readonly snapshot: boolean;
};

export const NO_CHANGES: IncidentChanges = { incidents: [], snapshot: false };

const UNKNOWN: IncidentChange['before'] = {
  ...each(null, 'incident', 'deleted_at', 'deleted_by', 'listed_at'),
  removed: false,
  missing: false,
};

/** The weakest first; any other is weaker than these. */
const CONFIRMATIONS: readonly (string | null)[] = ['tbd', 'confirmed', 'cancelled'];

/** Law 1: a record wins by the higher `ut`, the stronger confirmation, the later message of a second, the larger canonical JSON. */
export function outranks(record: Incident, current: Incident): boolean {
  const order =
    record.ut - current.ut ||
    CONFIRMATIONS.indexOf(record.confirmation) - CONFIRMATIONS.indexOf(current.confirmation) ||
    compareMessageIds(record.message_id, current.message_id) ||
    compareIds(incidentText(record), incidentText(current));
  return order > 0;
}

/** Laws 1 and 3: all incidents of an event, and which of them are removed. */
export class IncidentRegister {
  readonly #entries = new Map<string, IncidentEntry>();
  /** Time of the latest snapshot, Unix seconds; null without one. */
  snapshotAt: number | null = null;
  /** Null before the first call of `contradict`, which then settles what a restored register has. */
  #isContradicted: boolean | null = null;

  /** Restores a register from its records and the time of the latest snapshot. */
  static restore(records: Iterable<MatchIncident>, snapshotAt: number | null): IncidentRegister {
    const register = new IncidentRegister();
    register.snapshotAt = snapshotAt;
    for (const record of records) register.#entries.set(record.id, { ...record });
    return register;
  }

  /** Number of incidents, removed ones and deletes of unknown ones included. */
  get size(): number {
    return this.#entries.size;
  }

  get(id: string): Readonly<IncidentEntry> | undefined {
    return this.#entries.get(id);
  }

  entries(): Iterable<Readonly<IncidentEntry>> {
    return this.#entries.values();
  }

  stamp(changes: IncidentChanges, version: number, cause: Cause): void {
    for (const { entry } of changes.incidents) {
      entry.version = version;
      entry.cause = cause;
    }
  }

  /** Applies the record of an incident message. A delete sets only the time of the delete. */
  record(incident: Incident, deleted: boolean): IncidentChanges {
    const touched: Touched = new Map();
    this.#change(touched, incident, deleted ? markDeleted : accept);
    return touched.size === 0 ? NO_CHANGES : this.#settle(inOrder(touched));
  }

  /** Applies the complete list of an event at `time`, Unix seconds, and deletes. An empty list is evidence of nothing (law 3). */
  snapshot(incidents: readonly Incident[], deleted: readonly Incident[], time: number): IncidentChanges {
    const touched: Touched = new Map();
    let isNews = false;
    for (const incident of incidents) {
      this.#change(touched, incident, (entry) => {
        const isListed = entry.listed_at === null || time > entry.listed_at;
        if (isListed) entry.listed_at = time;
        isNews ||= isListed;
        return accept(entry, incident) || isListed;
      });
    }
    for (const incident of deleted) this.#change(touched, incident, markDeleted);
    if (incidents.length > 0 && (this.snapshotAt === null || time > this.snapshotAt)) {
      this.snapshotAt = time;
      isNews = true;
      this.#touchAll(touched);
    }
    return this.#settle(inOrder(touched), isNews);
  }

  /** Changes the entry of an incident. `change`: returns whether it changed anything. */
  #change(
    touched: Touched,
    incident: Incident,
    change: (entry: IncidentEntry, by: Incident) => boolean,
  ): void {
    const entry = this.#entry(incident.id);
    const before = presenceOf(entry);
    if (change(entry, incident)) touch(touched, entry, before);
  }

  /** Sets whether the provider's result contradicts its list (law 3): then what the list omits is not removed, however old. */
  contradict(isContradicted: boolean): IncidentChanges {
    if (isContradicted === this.#isContradicted) return NO_CHANGES;
    this.#isContradicted = isContradicted;
    const touched: Touched = new Map();
    this.#touchAll(touched);
    return this.#settle(inOrder(touched));
  }

  /** Whether the latest list omits the incident, and no delete says that it is removed. */
  isOmitted(id: string): boolean {
    const entry = this.#entries.get(id);
    return (
      entry !== undefined &&
      omissionOf(entry, this.snapshotAt) !== 'none' &&
      !isDeleted(entry, this.snapshotAt)
    );
  }

  #touchAll(touched: Touched): void {
    for (const entry of this.#entries.values()) {
      const { removed, missing } = this.#statusOf(entry);
      if (removed !== entry.removed || missing !== entry.missing) touch(touched, entry, presenceOf(entry));
    }
  }

  #statusOf(entry: IncidentEntry): Pick<IncidentEntry, 'removed' | 'missing'> {
    const omission = omissionOf(entry, this.snapshotAt);
    const removed = isDeleted(entry, this.snapshotAt) || (omission === 'long_ago' && !this.#isContradicted);
    return { removed, missing: omission !== 'none' && !removed };
  }

  #settle(incidents: readonly IncidentChange[], snapshot = false): IncidentChanges {
    for (const { entry } of incidents) {
      const { removed, missing } = this.#statusOf(entry);
      entry.removed = removed;
      entry.missing = missing;
    }
    return { incidents, snapshot };
  }

  #entry(id: string): IncidentEntry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    // Every record of an unknown incident is accepted, so that no entry stays empty.
    const entry = { id, ...UNKNOWN, version: 0, cause: null };
    this.#entries.set(id, entry);
    return entry;
  }
}

/** Returns what two changes of the register did, one after the other. What the second one restored did not change. */
export function inSequence(first: IncidentChanges, second: IncidentChanges): IncidentChanges {
  const touched: Touched = new Map();
  for (const { entry, before } of [...first.incidents, ...second.incidents]) touch(touched, entry, before);
  const incidents = inOrder(touched).filter(({ entry, before }) => !sameValue(presenceOf(entry), before));
  return { incidents, snapshot: first.snapshot || second.snapshot };
}

/** Whether a changed incident is of a kind, or was. */
export function concerns({ incidents }: IncidentChanges, isOfKind: (incident: Incident) => boolean): boolean {
  for (const { entry, before } of incidents) {
    if (entry.incident !== null && isOfKind(entry.incident)) return true;
    if (before.incident !== null && isOfKind(before.incident)) return true;
  }
  return false;
}

/** Remembers the values of an entry before its first change. */
function touch(touched: Touched, entry: IncidentEntry, before: IncidentChange['before']): void {
  if (!touched.has(entry)) touched.set(entry, before);
}

function inOrder(touched: Touched): readonly IncidentChange[] {
  return [...touched]
    .map(([entry, before]) => ({ entry, before }))
    .sort((a, b) => compareIds(a.entry.id, b.entry.id));
}

function presenceOf(entry: IncidentEntry): IncidentChange['before'] {
  const { incident, deleted_at, deleted_by, listed_at, removed, missing } = entry;
  return { incident, deleted_at, deleted_by, listed_at, removed, missing };
}

/** Sets the body of an incident. Returns whether it wins over the current one. */
function accept(entry: IncidentEntry, incident: Incident): boolean {
  if (entry.incident !== null && !outranks(incident, entry.incident)) return false;
  entry.incident = incident;
  return true;
}

/** Sets the time and the message of an incident's delete. Returns whether it is the latest one. */
function markDeleted(entry: IncidentEntry, { ut, message_id }: Incident): boolean {
  const last = entry.deleted_at !== null && { ut: entry.deleted_at, message_id: entry.deleted_by };
  if (last && comparePositions({ ut, message_id }, last) <= 0) return false;
  entry.deleted_at = ut;
  entry.deleted_by = message_id;
  return true;
}

/** Law 3: maximum time between the writing of an incident and its listing, seconds. */
export const SETTLE_SECONDS = 5;

/** Law 3: how much newer than its last sign of life a list must be that proves an incident's removal by omitting it, seconds. */
export const REMOVAL_SECONDS = 75;

/** When an incident was deleted and listed. `incident`: null when only deletes have arrived. */
export type Presence = Readonly<Pick<MatchIncident, 'incident' | 'deleted_at' | 'deleted_by' | 'listed_at'>>;

/** Law 3: an incident that the latest list omits: `lately`, too little to prove a removal; `none`: it has it, or is not newer. */
export type Omission = 'none' | 'lately' | 'long_ago';

/** Returns what the latest list of the event (at `snapshotAt`, Unix seconds; null without one) shows by omitting an incident. */
export function omissionOf({ incident, listed_at }: Presence, snapshotAt: number | null): Omission {
  if (incident === null || snapshotAt === null) return 'none';
  const since = snapshotAt - lastSignOf(incident, { listed_at });
  if (since < SETTLE_SECONDS) return 'none';
  return since < REMOVAL_SECONDS ? 'lately' : 'long_ago';
}

/** Returns the last sign of life of an incident with this body: that it was written, or that any list had it. Unix seconds. */
export function lastSignOf({ ut }: Pick<Incident, 'ut'>, { listed_at }: Pick<Presence, 'listed_at'>): number {
  return Math.max(ut, listed_at ?? ut);
}

/** Whether a delete removes an incident: it is no older than its last presence. Of one second, the later message decides (law 1). */
export function isDeleted(presence: Presence, snapshotAt: number | null): boolean {
  const { incident, deleted_at, deleted_by } = presence;
  if (incident === null || deleted_at === null) return false;
  if (deleted_at < presentAt(incident, presence, snapshotAt)) return false;
  return deleted_at > incident.ut || compareMessageIds(deleted_by, incident.message_id) >= 0;
}

/** Returns the time, Unix seconds, up to which a delete does not remove an incident with this body: the latest list counts alone. */
export function presentAt(
  incident: Pick<Incident, 'ut'>,
  presence: Pick<Presence, 'listed_at'>,
  snapshotAt: number | null,
): number {
  return presence.listed_at === snapshotAt ? lastSignOf(incident, presence) : incident.ut;
}

/** Returns when an incident was last known absent, Unix seconds, null for never: a list proves it up to `REMOVAL_SECONDS` before. */
export function absentAt(presence: Presence, snapshotAt: number | null): number | null {
  const { deleted_at } = presence;
  if (snapshotAt === null || omissionOf(presence, snapshotAt) !== 'long_ago') return deleted_at;
  const omitted = snapshotAt - REMOVAL_SECONDS;
  return Math.max(deleted_at ?? omitted, omitted);
}
