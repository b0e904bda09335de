import { REMOVAL_SECONDS, SETTLE_SECONDS } from '#domain/incident-register.ts';

/**
 * The last sign of life of an incident. `ut`: of its record, `seenAt`: also of lists that have it, Unix seconds; `settlesAt`: when a
 * list can prove the removal of a missing one, milliseconds of the poller's clock.
 */
type KnownIncident = Readonly<{ ut: number; seenAt: number; settlesAt: number | null }>;

/** A report of the feed. `ut`: Unix seconds; `at`: when it was received, milliseconds of the poller's clock. */
type IncidentReport = Readonly<{ ut: number; deleted: boolean; at: number }>;

export type AppliedList = {
  readonly at: number;
  /** The `ut` of each incident, by id. */
  readonly listed: ReadonlyMap<string, number>;
  /** Whether the provider's result needs goals that the list lacks: then it proves no removal. */
  readonly contradicted: boolean;
  readonly now: number;
};

/** The incidents of an event that a list or a message of the feed had, and that nothing has removed since. */
export class KnownIncidents {
  readonly #known = new Map<string, KnownIncident>();
  /** The latest deletion by id, Unix seconds: a list that still has such an incident lags. */
  readonly #deletedAt = new Map<string, number>();
  /** The last report of each incident, until a list shows it or the settle margin is over. */
  readonly #reports = new Map<string, IncidentReport>();

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  report(id: string, report: IncidentReport): void {
    const { ut, deleted } = report;
    if (ut >= (this.#reports.get(id)?.ut ?? ut)) this.#reports.set(id, report);
    const { ut: knownUt, seenAt } = this.#known.get(id) ?? { ut, seenAt: ut };
    if (deleted) this.remove(id, ut);
    else if (ut >= knownUt) this.#known.set(id, { ut, seenAt: Math.max(ut, seenAt), settlesAt: null });
  }

  /** Applies a deletion. `ut`: Unix seconds. */
  remove(id: string, ut: number): void {
    this.#deletedAt.set(id, Math.max(ut, this.#deletedAt.get(id) ?? ut));
    const known = this.#known.get(id);
    if (known !== undefined && known.ut <= ut) this.#known.delete(id);
  }

  /** Returns the ids that a list at `at`, Unix seconds, omits although they were known before it. */
  omittedBy(listed: Pick<AppliedList['listed'], 'has'>, at: number): string[] {
    const isOmitted = ([id, { seenAt }]: [string, KnownIncident]): boolean =>
      !listed.has(id) && at - seenAt >= SETTLE_SECONDS;
    return [...this.#known].filter(isOmitted).map(([id]) => id);
  }

  /** Applies a list: what it has is present, what it omits is missing until a list proves that it is removed. */
  apply({ at, listed, contradicted, now }: AppliedList): void {
    for (const id of this.omittedBy(listed, at)) {
      const known = this.#known.get(id) as KnownIncident;
      const leftMs = Math.max(0, known.seenAt + REMOVAL_SECONDS - at) * 1_000;
      if (leftMs === 0 && !contradicted) this.#known.delete(id);
      else this.#known.set(id, { ...known, settlesAt: now + leftMs });
    }
    for (const [id, ut] of listed)
      if (ut > (this.#deletedAt.get(id) ?? Number.NEGATIVE_INFINITY))
        this.#known.set(id, { ut, seenAt: at, settlesAt: null });
  }

  /** Forgets reports that a list shows or has a newer record of, and those received until `settledUpTo`, milliseconds. */
  settle(listed: AppliedList['listed'], settledUpTo: number): void {
    for (const [id, { ut, deleted, at }] of this.#reports) {
      const listedUt = listed.get(id);
      const isShown = listedUt === undefined ? deleted : deleted ? listedUt > ut : listedUt >= ut;
      if (at <= settledUpTo || isShown) this.#reports.delete(id);
    }
  }

  /** Whether a list contradicts a report (law 3): lacks an incident never listed, or restores a deleted one. One of them is late. */
  isOverruledAt(time: number): boolean {
    return this.#reports
      .values()
      .some(({ ut, deleted }) => (deleted ? ut < time : ut <= time - SETTLE_SECONDS));
  }

  /** Whether a missing incident may still be proven to be removed by a list after `now`, milliseconds. */
  unsettled(now: number): boolean {
    return this.#known.values().some(({ settlesAt }) => settlesAt !== null && settlesAt > now);
  }

  /**
   * Returns when a missing incident needs the next check after one at `checkedAt`: `soonMs` later, since the list may only lag,
   * and at once when a list can prove its removal; from then on every `laterMs`. Infinity when none is missing. Milliseconds.
   */
  dueAt(checkedAt: number, soonMs: number, laterMs: number): number {
    let due = Number.POSITIVE_INFINITY;
    for (const { settlesAt } of this.#known.values()) {
      if (settlesAt === null) continue;
      const isSettled = settlesAt <= checkedAt;
      due = Math.min(due, isSettled ? checkedAt + laterMs : Math.min(settlesAt, checkedAt + soonMs));
    }
    return due;
  }
}
