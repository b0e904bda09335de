import { SETTLE_SECONDS } from '#domain/presence.ts';

/** The feed's last report of an incident. `ut`: Unix seconds; `at`: when it was received, milliseconds. */
type ReportedIncident = { readonly ut: number; readonly deleted: boolean; readonly at: number };

/** Incidents of an event that the feed reported, until a list shows them or the settle margin is over. */
export class ReportedIncidents {
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

  /**
   * Whether a list at `time` contradicts a report of the feed (law 3): it lacks a reported incident that was not listed yet, or
   * restores a deleted one that is still listed. Then the message was late, or the list lags behind the feed.
   */
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
