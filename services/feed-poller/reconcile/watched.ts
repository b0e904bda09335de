import { SETTLE_SECONDS } from '#domain/presence.ts';
import { toWholeNumber } from '#json/values.ts';
import type { RefusedList } from '#records/types.ts';
import type { Raw } from '../provider/tree.ts';
import { KnownIncidents } from './known-incidents.ts';

/** A watched event. Times are milliseconds of the poller's clock, unless stated otherwise. */
export type Watched = {
  readonly id: number;
  readonly sport: number | null;
  /** `unlisted`: no list has it any more. */
  state: 'live' | 'finished' | 'unlisted';
  clockRuns: boolean;
  /** Ids of unconfirmed incidents. */
  readonly unconfirmed: Set<string>;
  /** Ids of the unconfirmed incidents that the feed reported since the last check began. */
  readonly reported: Set<string>;
  /** When the last feed message was received. */
  receivedAt: number;
  /** When the feed last reported the event's fields, or it was first seen finished: the lists may lag behind. Null: neither. */
  reportedAt: number | null;
  /** When the last check began. */
  startedAt: number;
  /** When the last check ended; null before the first check in this state. */
  checkedAt: number | null;
  checking: boolean;
  /** The provider's time of the last check's snapshot, Unix seconds; null before the first, or when it had none. */
  snapshotAt: number | null;
  /** The provider's time of the newest snapshot, Unix seconds; null before the first. */
  publishedAt: number | null;
  readonly incidents: ReportedIncidents;
  readonly known: KnownIncidents;
  /** When the feed last had an unreadable message of the event, until a check that began later. */
  unreadAt: number | null;
  /** The refusal of the latest list; null when it was published. */
  refusal: RefusedList | null;
  /** Earliest time of the next check. */
  notBefore: number;
  failures: number;
};

/** Returns an event that is watched from now on, not yet checked. */
export function watchedEvent(id: number, event: Raw, state: Watched['state'], now: number): Watched {
  return {
    id,
    sport: toWholeNumber(event.sport_id),
    state,
    clockRuns: false,
    unconfirmed: new Set(),
    reported: new Set(),
    receivedAt: now,
    reportedAt: state === 'finished' ? now : null,
    startedAt: now,
    checkedAt: null,
    checking: false,
    snapshotAt: null,
    publishedAt: null,
    incidents: new ReportedIncidents(),
    known: new KnownIncidents(),
    unreadAt: null,
    refusal: null,
    notBefore: 0,
    failures: 0,
  };
}

/** The feed's last report of an incident. `ut`: Unix seconds; `at`: when it was received, milliseconds. */
type ReportedIncident = { readonly ut: number; readonly deleted: boolean; readonly at: number };

/** Incidents of an event that the feed reported, until a list shows them or the settle margin is over. */
class ReportedIncidents {
  readonly #reported = new Map<string, ReportedIncident>();

  /** Applies a report of the feed; an older one than the last of its incident changes nothing. */
  report(id: string, reported: ReportedIncident): void {
    const before = this.#reported.get(id);
    if (before === undefined || before.ut <= reported.ut) this.#reported.set(id, reported);
  }

  /** Forgets reports that a list shows, and those received until `settledUpTo`, milliseconds. `listed`: `ut` by id. */
  apply(listed: ReadonlyMap<string, number>, settledUpTo: number): void {
    for (const [id, reported] of this.#reported) {
      if (reported.at <= settledUpTo || isShown(reported, listed.get(id))) this.#reported.delete(id);
    }
  }

  /** Whether a list contradicts a report (law 3): lacks an incident never listed, or restores a deleted one. One of them is late. */
  isOverruledAt(time: number): boolean {
    for (const { ut, deleted } of this.#reported.values()) {
      if (deleted ? ut < time : ut <= time - SETTLE_SECONDS) return true;
    }
    return false;
  }
}

/** Whether a list shows a report or a newer one. `listed`: the incident's `ut` in the list; undefined when it is not listed. */
function isShown({ ut, deleted }: ReportedIncident, listed: number | undefined): boolean {
  if (deleted) return listed === undefined || listed > ut;
  return listed !== undefined && listed >= ut;
}
