/** Decides which events need a check (a read of the whole list), and when. Pure: milliseconds of the poller's clock. */
import { toWholeNumber } from '#json/values.ts';
import type { Incident, NormalizedMessage, RefusedList } from '#records/types.ts';
import type { Raw } from '../provider/tree.ts';
import type { AppliedList } from './known-incidents.ts';
import { type Watched, watchedEvent } from './watched.ts';

/** When events are checked. */
export type WatchSettings = {
  /** Interval between checks of a live event with unconfirmed incidents. */
  readonly unconfirmedMs: number;
  /** Time from the last message or check to the next check of a live event whose clock runs. */
  readonly silenceMs: number;
  /** Interval between checks of a finished event that is not verified. */
  readonly verifyMs: number;
  /** Maximum lag of lists behind the feed: a provider may derive them from it. */
  readonly settleMs: number;
  /** Age since its start, in seconds, after which a finished event counts as verified. */
  readonly verifyWithin: number;
  readonly follows: (event: Raw) => boolean;
};

type Checked = Omit<AppliedList, 'at'> & {
  /** The provider's time of the snapshot, Unix seconds; null without one. */
  readonly snapshotAt: number | null;
  /** Ids of the unconfirmed incidents. */
  readonly unconfirmed: readonly string[];
};

/** The watched events. */
export class MatchWatch {
  readonly #settings: WatchSettings;
  readonly #events = new Map<number, Watched>();
  /** Verified finished events, with the provider's time of the last check of each, Unix seconds. */
  readonly #verified: Map<number, number>;

  /** `verified`: the finished events with a checkpoint. */
  constructor(settings: WatchSettings, verified: Iterable<readonly [id: number, position: number]>) {
    this.#settings = settings;
    this.#verified = new Map(verified);
  }

  /** Applies an event of a list. `time`: `api.timestamp` of the answer, Unix seconds. */
  onEvent(event: Raw, time: number, now: number): void {
    const id = toWholeNumber(event.id);
    if (id === null) return;
    if (event.status_type === 'live' && this.#settings.follows(event)) {
      const watched = this.#enter(id, event, 'live', now);
      watched.clockRuns = event.clock_status === 'running';
    } else if (event.status_type === 'finished' && this.#settings.follows(event)) {
      if (!this.#isVerified(id, event, time)) this.#enter(id, event, 'finished', now);
    } else if (this.#events.get(id)?.state === 'live') {
      this.drop(id);
    }
  }

  /** Applies a feed message, or the mark of an unreadable one: a list must show what it said. */
  onMessage(message: NormalizedMessage, now: number): void {
    const { event_id: id, event, unreadable } = message;
    const says = event !== null || message.incident !== null || unreadable !== null;
    // The final check may have overridden this late message, so the event is checked again.
    if (says && this.#verified.delete(id)) this.#enter(id, {}, 'finished', now);
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    if (unreadable !== null) {
      watched.unreadAt = now;
      return;
    }
    watched.receivedAt = now;
    if (event !== null) watched.reportedAt = now;
    if (message.incident === null) return;
    const { deleted, incident } = message.incident;
    watched.incidents.report(incident.id, { ut: incident.ut, deleted, at: now });
    watched.known.report(incident.id, incident.ut, deleted);
    for (const ids of [watched.unconfirmed, watched.reported]) {
      if (!deleted && incident.confirmation === 'tbd') ids.add(incident.id);
      else ids.delete(incident.id);
    }
  }

  /** Makes those live events due that the board of their sport no longer lists. */
  onBoard(sport: number, listed: ReadonlySet<number>): void {
    for (const watched of this.#events.values()) {
      if (watched.state === 'live' && watched.sport === sport && !listed.has(watched.id)) {
        watched.checkedAt = null;
      }
    }
  }

  /** Makes an event due at once that no list has any more, or that may be back. */
  suspect(id: number, now: number): void {
    const watched = this.#events.get(id) ?? this.#enter(id, {}, 'unlisted', now);
    watched.checkedAt = null;
    watched.notBefore = 0;
  }

  /** Whether an event is watched for no other reason than that it may be missing. */
  isUnlisted(id: number): boolean {
    return this.#events.get(id)?.state === 'unlisted';
  }

  /** Ends a check that found that the provider does not have the event. It is due again after its interval. */
  absent(id: number, now: number): void {
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    const { unconfirmedMs, verifyMs } = this.#settings;
    watched.checking = false;
    watched.checkedAt = null;
    watched.notBefore = now + (watched.state === 'live' ? unconfirmedMs : verifyMs);
  }

  /** Returns the ids of known incidents that a list with these ids at a time, Unix seconds, omits. */
  omittedBy(id: number, listed: ReadonlySet<string>, at: number): readonly string[] {
    return this.#events.get(id)?.known.omittedBy(listed, at) ?? [];
  }

  /** Returns the provider's time of an event's newest snapshot, Unix seconds; null before the first. */
  publishedAt(id: number): number | null {
    return this.#events.get(id)?.publishedAt ?? null;
  }

  /** Applies published deletions of the provider. */
  onDeleted(id: number, incidents: readonly Incident[]): void {
    for (const incident of incidents) this.#events.get(id)?.known.remove(incident.id, incident.ut);
  }

  /** Returns the events whose latest list is refused, the earliest first. */
  refusedLists(): RefusedList[] {
    return [...this.#events.values()]
      .flatMap(({ refusal }) => refusal ?? [])
      .sort((a, b) => a.since - b.since);
  }

  /** Claims a due event for a check, until `checked`, `refused`, `failed` or `drop`. Returns null when none is due. */
  claim(now: number): number | null {
    for (const watched of this.#events.values()) {
      if (watched.checking || watched.notBefore > now || this.#dueAt(watched) > now) continue;
      watched.checking = true;
      watched.startedAt = now;
      watched.reported.clear();
      return watched.id;
    }
    return null;
  }

  /** Ends a check. Returns false when another is needed: it overrides the feed's messages, or the lists may lag. */
  checked(id: number, { snapshotAt, listed, unconfirmed, contradicted, now }: Checked): boolean {
    const watched = this.#events.get(id);
    if (watched === undefined) return true;
    watched.checking = false;
    watched.snapshotAt = snapshotAt;
    watched.refusal = null;
    if (watched.unreadAt !== null && watched.unreadAt < watched.startedAt) watched.unreadAt = null;
    if (snapshotAt !== null) {
      watched.publishedAt = snapshotAt;
      watched.known.apply({ at: snapshotAt, listed, contradicted, now });
    }
    watched.checkedAt = now;
    watched.failures = 0;
    watched.unconfirmed.clear();
    for (const incident of [...unconfirmed, ...watched.reported]) watched.unconfirmed.add(incident);
    watched.incidents.apply(listed, watched.startedAt - this.#settings.settleMs);
    return this.#isLastWord(watched);
  }

  /** Ends a check whose incident list is refused. It changes no incident; the event is due again after its interval. */
  refused(id: number, refusal: RefusedList, now: number): void {
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    const { unconfirmedMs, verifyMs } = this.#settings;
    const { reason, since } = watched.refusal ?? refusal;
    // An event of which no incident is known may have no timeline at all.
    const hurries = watched.state === 'live' && (refusal.reason !== 'empty' || !watched.known.isEmpty);
    watched.refusal = reason === refusal.reason ? { ...refusal, since } : refusal;
    watched.checking = false;
    watched.failures = 0;
    watched.notBefore = now + (hurries ? unconfirmedMs : verifyMs);
  }

  /** Ends a failed check. `waitMs` maps the number of consecutive failures to a wait. */
  failed(id: number, now: number, waitMs: (failures: number) => number): void {
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    watched.checking = false;
    watched.failures += 1;
    watched.notBefore = now + waitMs(watched.failures);
  }

  /** Whether a finished event needs no more checks, given its state at the provider's `time`. */
  isSettled(event: Raw, time: number): boolean {
    return event.status_type === 'finished' && (isYes(event.verified_result) || this.hasExpired(event, time));
  }

  /** Whether a finished event began so long ago that it counts as verified, even with an unreadable list. */
  hasExpired(event: Raw, time: number): boolean {
    return event.status_type === 'finished' && this.#isOld(event, time);
  }

  /** Marks a finished event as verified up to `position`, Unix seconds, unless the feed reported it after its check. */
  verified(id: number, position: number): void {
    const watched = this.#events.get(id);
    if (watched !== undefined && !this.#isLastWord(watched)) return;
    this.#verified.set(id, position);
    this.#events.delete(id);
  }

  /** Stops watching an event until a list shows it again. */
  drop(id: number): void {
    this.#events.delete(id);
  }

  counts(): { readonly live: number; readonly finished: number } {
    const of = (wanted: Watched['state']): number =>
      this.#events.values().reduce((count, { state }) => (state === wanted ? count + 1 : count), 0);
    return { live: of('live'), finished: of('finished') };
  }

  #enter(id: number, event: Raw, state: Watched['state'], now: number): Watched {
    let watched = this.#events.get(id);
    if (watched === undefined) {
      watched = watchedEvent(id, event, state, now);
      this.#events.set(id, watched);
    }
    if (watched.state !== state) watched.checkedAt = null;
    watched.state = state;
    return watched;
  }

  #dueAt(watched: Watched): number {
    const { state, checkedAt, unconfirmed, clockRuns, receivedAt } = watched;
    const { unconfirmedMs, silenceMs, verifyMs } = this.#settings;
    // The first check covers the time before the first window of the feed.
    if (checkedAt === null) return 0;
    if (isOverruled(watched) || watched.unreadAt !== null) return checkedAt + unconfirmedMs;
    const isFinished = state === 'finished';
    const laterMs = isFinished ? verifyMs : unconfirmedMs;
    const missingDue = watched.known.dueAt(checkedAt, { soonMs: unconfirmedMs, laterMs });
    if (isFinished) return Math.min(checkedAt + verifyMs, this.#unsettledUntil(watched), missingDue);
    return Math.min(
      missingDue,
      unconfirmed.size > 0 ? checkedAt + unconfirmedMs : Number.POSITIVE_INFINITY,
      clockRuns ? Math.max(checkedAt, receivedAt) + silenceMs : Number.POSITIVE_INFINITY,
    );
  }

  #isLastWord(watched: Watched): boolean {
    const { checkedAt, known, unreadAt } = watched;
    if (isOverruled(watched) || unreadAt !== null || known.unsettled(checkedAt ?? 0)) return false;
    return this.#unsettledUntil(watched) === Number.POSITIVE_INFINITY;
  }

  /** Returns when the lists certainly show the last report, if the last check began before that time; else infinity. */
  #unsettledUntil({ reportedAt, startedAt }: Watched): number {
    const settled = reportedAt === null ? Number.NEGATIVE_INFINITY : reportedAt + this.#settings.settleMs;
    return startedAt < settled ? settled : Number.POSITIVE_INFINITY;
  }

  #isVerified(id: number, event: Raw, time: number): boolean {
    const position = this.#verified.get(id);
    if (position !== undefined) return (toWholeNumber(event.ut) ?? 0) <= position;
    return !this.#events.has(id) && this.#isOld(event, time);
  }

  #isOld({ start_date }: Raw, time: number): boolean {
    const start =
      typeof start_date === 'string' ? Date.parse(`${start_date.replace(' ', 'T')}Z`) / 1000 : Number.NaN;
    return time - start > this.#settings.verifyWithin;
  }
}

/** Whether the last snapshot contradicts a report of the feed. */
function isOverruled({ snapshotAt, incidents }: Watched): boolean {
  return snapshotAt !== null && incidents.isOverruledAt(snapshotAt);
}

/** Whether a flag of the provider is set, in any of its notations. */
export function isYes(flag: unknown): boolean {
  return flag === 'yes' || flag === true || flag === 1 || flag === '1';
}
