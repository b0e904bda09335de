/** Law 3: what deletes and lists show of an incident. */
import type { Incident, MatchIncident } from '#records/types.ts';
import { compareMessageIds } from './message-key.ts';

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
  const { incident, deleted_by } = presence;
  const deletedAt = presence.deleted_at ?? Number.NEGATIVE_INFINITY;
  if (incident === null || deletedAt < presentAt(incident, presence, snapshotAt)) return false;
  return deletedAt > incident.ut || compareMessageIds(deleted_by, incident.message_id) >= 0;
}

/** Returns the time, Unix seconds, up to which a delete does not remove an incident with this body: the latest list counts alone. */
export function presentAt(
  incident: Pick<Incident, 'ut'>,
  presence: Pick<Presence, 'listed_at'>,
  snapshotAt: number | null,
): number {
  return presence.listed_at === snapshotAt ? lastSignOf(incident, presence) : incident.ut;
}

/** Returns when an incident was last known absent, Unix seconds: a list proves its absence up to `REMOVAL_SECONDS` before. */
export function absentAt(presence: Presence, snapshotAt: number | null): number {
  const deleted = presence.deleted_at ?? Number.NEGATIVE_INFINITY;
  if (snapshotAt === null || omissionOf(presence, snapshotAt) !== 'long_ago') return deleted;
  return Math.max(deleted, snapshotAt - REMOVAL_SECONDS);
}
