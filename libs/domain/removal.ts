import type { Incident } from '#topics/generated/types.ts';

/** How long an incident may take from being written to being listed, seconds. */
const SETTLE_SECONDS = 5;

/** What is remembered of an incident's presence. Times in Unix seconds. */
export type Presence = {
  /** The winning body; null where only deletes have arrived. */
  readonly incident: Incident | null;
  /** Highest `ut` of the records that deleted it. */
  readonly deletedAt: number | null;
  /** Time of the latest snapshot that listed it. */
  readonly listedAt: number | null;
};

/**
 * Law 3: an incident is removed exactly when it was last known absent no earlier than last known present. An id known
 * only by deletes is not removed, it never was. `snapshotAt`: time of the event's latest snapshot, null without one.
 */
export function isRemoved({ incident, deletedAt, listedAt }: Presence, snapshotAt: number | null): boolean {
  if (incident === null) return false;
  let presentAt = incident.ut;
  let absentAt = deletedAt ?? Number.NEGATIVE_INFINITY;
  if (snapshotAt !== null) {
    if (listedAt === snapshotAt) presentAt = Math.max(presentAt, snapshotAt);
    else absentAt = Math.max(absentAt, snapshotAt - SETTLE_SECONDS);
  }
  return absentAt >= presentAt;
}
