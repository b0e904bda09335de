import type { Incident } from '#topics/generated/types.ts';

/** How long an incident may take from being written to being listed, seconds. */
const SETTLE_SECONDS = 5;

/** The stored presence of an incident. Times in Unix seconds. */
export type Presence = {
  /** The winning body; null where only deletes have arrived. */
  readonly incident: Incident | null;
  /** Highest `ut` of the records that deleted it. */
  readonly deletedAt: number | null;
  /** Time of the latest snapshot that listed it. */
  readonly listedAt: number | null;
};

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
  { listedAt }: Pick<Presence, 'listedAt'>,
  snapshotAt: number | null,
): number {
  return snapshotAt !== null && listedAt === snapshotAt ? Math.max(ut, snapshotAt) : ut;
}

/** When an incident was last known absent, Unix seconds; minus infinity where it never was. */
export function absentAt(
  { deletedAt, listedAt }: Pick<Presence, 'deletedAt' | 'listedAt'>,
  snapshotAt: number | null,
): number {
  const deleted = deletedAt ?? Number.NEGATIVE_INFINITY;
  return snapshotAt === null || listedAt === snapshotAt
    ? deleted
    : Math.max(deleted, snapshotAt - SETTLE_SECONDS);
}
