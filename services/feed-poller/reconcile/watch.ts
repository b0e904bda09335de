/** Decides which events need a check (a read of the whole list), and when. Pure: milliseconds of the poller's clock. */
import { toWholeNumber } from '#json/values.ts';
import type { NormalizedMessage, RefusedList } from '#records/types.ts';
import type { Raw } from '../provider/tree.ts';
import { type AppliedList, KnownIncidents } from './known-incidents.ts';

/** When events are checked: the settings of the poller. `verifyWithin`: seconds since the start of an event. */
export type WatchSettings = {
  readonly unconfirmedMs: number;
  readonly silenceMs: number;
  readonly verifyMs: number;
  /** Maximum lag of lists behind the feed: a provider may derive them from it. */
  readonly settleMs: number;
  readonly verifyWithin: number;
  readonly follows: (event: Raw) => boolean;
};

type Checked = Omit<AppliedList, 'at'> & {
  /** The provider's time of the snapshot, Unix seconds; null without one. */
  readonly snapshotAt: number | null;
  readonly unconfirmed: readonly string[];
};

/** A watched event. Times are milliseconds of the poller's clock, unless stated otherwise. */
class Watched {
  readonly id: number;
  readonly sport: number | null;
  /** `unlisted`: no list has it any more. */
  state: 'live' | 'finished' | 'unlisted';
  clockRuns = false;
  /** Ids of unconfirmed incidents, and of those of them that the feed reported since the last check began. */
  readonly unconfirmed = new Set<string>();
  readonly reported = new Set<string>();
  /** When the last feed message was received. */
  receivedAt: number;
  /** When the feed last reported the event's fields, or it was first seen finished: the lists may lag behind. Null: neither. */
  reportedAt: number | null;
  /** When the last check began. */
  startedAt: number;
  /** When the last check ended; null before the first check in this state. */
  checkedAt: number | null = null;
  checking = false;
  /** The provider's time of the last check's snapshot, Unix seconds; null before the first, or when it had none. */
  snapshotAt: number | null = null;
  /** The provider's time of the newest snapshot, Unix seconds; null before the first. */
  publishedAt: number | null = null;
  readonly known = new KnownIncidents();
  /** When the feed last had an unreadable message of the event, until a check that began later. */
  unreadAt: number | null = null;
  /** The refusal of the latest list, null when it was published; and whether one was refused before. */
  refusal: RefusedList | null = null;
  wasRefused = false;
  /** Earliest time of the next check. */
  notBefore = 0;
  failures = 0;

  constructor(id: number, event: Raw, state: Watched['state'], now: number) {
    this.id = id;
    this.sport = toWholeNumber(event.sport_id);
    this.state = state;
    this.receivedAt = now;
    this.reportedAt = state === 'finished' ? now : null;
    this.startedAt = now;
  }

  /** Whether the last snapshot contradicts a report of the feed, or may lack what an unreadable message said. */
  get isInDoubt(): boolean {
    return this.unreadAt !== null || (this.snapshotAt !== null && this.known.isOverruledAt(this.snapshotAt));
  }
}

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
      this.#enter(id, event, 'live', now).clockRuns = event.clock_status === 'running';
    } else if (event.status_type === 'finished' && this.#settings.follows(event)) {
      if (!this.#isVerified(id, event, time)) this.#enter(id, event, 'finished', now);
    } else if (this.#events.get(id)?.state === 'live') {
      this.drop(id);
    }
  }

  /** Applies a feed message, or the mark of an unreadable one: a list must show what it said. */
  onMessage({ event_id: id, event, incident: reported, unreadable }: NormalizedMessage, now: number): void {
    const says = event !== null || reported !== null || unreadable !== null;
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
    if (reported === null) return;
    const { deleted, incident } = reported;
    watched.known.report(incident.id, { ut: incident.ut, deleted, at: now });
    for (const ids of [watched.unconfirmed, watched.reported]) {
      if (!deleted && incident.confirmation === 'tbd') ids.add(incident.id);
      else ids.delete(incident.id);
    }
  }

  /** Makes those live events due that the board of their sport no longer lists. */
  onBoard(sport: number, listed: ReadonlySet<number>): void {
    for (const watched of this.#events.values())
      if (watched.state === 'live' && watched.sport === sport && !listed.has(watched.id))
        watched.checkedAt = null;
  }

  /** Makes an event due that no list has any more, or that may be back: at once, or after the wait of its failed check. */
  suspect(id: number, now: number): void {
    const watched = this.#events.get(id) ?? this.#enter(id, {}, 'unlisted', now);
    watched.checkedAt = null;
    if (watched.failures === 0) watched.notBefore = 0;
  }

  get(id: number): Pick<Watched, 'state' | 'known' | 'publishedAt'> | undefined {
    return this.#events.get(id);
  }

  /** Returns the events whose latest list is refused, the earliest first. */
  refusedLists(): RefusedList[] {
    return [...this.#events.values()]
      .flatMap(({ refusal }) => refusal ?? [])
      .sort((a, b) => a.since - b.since);
  }

  /** Claims a due event for a check, until `checked`, `refused`, `failed`, `absent` or `drop`. Returns null when none is due. */
  claim(now: number): number | null {
    const isDue = (watched: Watched): boolean =>
      !watched.checking && watched.notBefore <= now && this.#dueAt(watched) <= now;
    const due = this.#events.values().find(isDue);
    if (due === undefined) return null;
    due.checking = true;
    due.startedAt = now;
    due.reported.clear();
    return due.id;
  }

  /** Ends a check. Returns false when another is needed: it overrides the feed's messages, or the lists may lag. */
  checked(id: number, { snapshotAt, listed, unconfirmed, contradicted, now }: Checked): boolean {
    const watched = this.#end(id);
    if (watched === undefined) return true;
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
    watched.known.settle(listed, watched.startedAt - this.#settings.settleMs);
    return this.#isLastWord(watched);
  }

  /** Ends a check that found that the provider does not have the event. It is due again after its interval. */
  absent(id: number, now: number): void {
    const watched = this.#end(id);
    if (watched === undefined) return;
    watched.checkedAt = null;
    this.#restUntilNext(watched, now, watched.state === 'live');
  }

  /** Ends a check whose incident list is refused. The event is due again after its interval. Returns whether it is the event's first refusal. */
  refused(id: number, refusal: RefusedList, now: number): boolean {
    const watched = this.#end(id);
    if (watched === undefined) return false;
    const isFirst = !watched.wasRefused;
    watched.wasRefused = true;
    if (watched.refusal?.reason !== refusal.reason) watched.refusal = refusal;
    // An event of which no incident is known may have no timeline at all.
    const mayHave = refusal.reason !== 'empty' || !watched.known.isEmpty;
    this.#restUntilNext(watched, now, watched.state === 'live' && mayHave);
    return isFirst;
  }

  /** Ends a failed check. `waitMs` maps the number of consecutive failures to a wait. */
  failed(id: number, now: number, waitMs: (failures: number) => number): void {
    const watched = this.#end(id);
    if (watched === undefined) return;
    watched.failures += 1;
    watched.notBefore = now + waitMs(watched.failures);
  }

  /** Whether a finished event needs no more checks, given its state at the provider's `time`. */
  isSettled(event: Raw, time: number): boolean {
    const isVerified = event.status_type === 'finished' && isYes(event.verified_result);
    return isVerified || this.hasExpired(event, time);
  }

  /** Whether a finished event began so long ago that it counts as verified, even with an unreadable list. */
  hasExpired({ status_type, start_date }: Raw, time: number): boolean {
    const start = Date.parse(`${String(start_date).replace(' ', 'T')}Z`) / 1000;
    return status_type === 'finished' && time - start > this.#settings.verifyWithin;
  }

  /** Marks a finished event as verified up to `position`, Unix seconds, unless the feed reported it after its check. */
  verified(id: number, position: number): void {
    const watched = this.#events.get(id);
    if (watched !== undefined && !this.#isLastWord(watched)) return;
    this.#verified.set(id, position);
    this.drop(id);
  }

  /** Stops watching an event until a list shows it again. */
  drop(id: number): void {
    this.#events.delete(id);
  }

  counts(): { readonly live: number; readonly finished: number } {
    const byState = Map.groupBy(this.#events.values(), ({ state }) => state);
    const of = (state: Watched['state']): number => byState.get(state)?.length ?? 0;
    return { live: of('live'), finished: of('finished') };
  }

  #enter(id: number, event: Raw, state: Watched['state'], now: number): Watched {
    const watched = this.#events.get(id) ?? new Watched(id, event, state, now);
    this.#events.set(id, watched);
    if (watched.state !== state) watched.checkedAt = null;
    watched.state = state;
    return watched;
  }

  #end(id: number): Watched | undefined {
    const watched = this.#events.get(id);
    if (watched !== undefined) watched.checking = false;
    return watched;
  }

  #restUntilNext(watched: Watched, now: number, isUrgent: boolean): void {
    watched.failures = 0;
    watched.notBefore = now + (isUrgent ? this.#settings.unconfirmedMs : this.#settings.verifyMs);
  }

  #dueAt(watched: Watched): number {
    const { state, checkedAt, unconfirmed, clockRuns, receivedAt, known } = watched;
    const { unconfirmedMs, silenceMs, verifyMs } = this.#settings;
    // The first check covers the time before the first window of the feed.
    if (checkedAt === null) return 0;
    if (watched.isInDoubt) return checkedAt + unconfirmedMs;
    if (state === 'finished') {
      const missingDue = known.dueAt(checkedAt, unconfirmedMs, verifyMs);
      return Math.min(checkedAt + verifyMs, this.#unsettledUntil(watched), missingDue);
    }
    return Math.min(
      known.dueAt(checkedAt, unconfirmedMs, unconfirmedMs),
      unconfirmed.size > 0 ? checkedAt + unconfirmedMs : Number.POSITIVE_INFINITY,
      clockRuns ? Math.max(checkedAt, receivedAt) + silenceMs : Number.POSITIVE_INFINITY,
    );
  }

  #isLastWord(watched: Watched): boolean {
    if (watched.isInDoubt || watched.known.unsettled(watched.checkedAt ?? 0)) return false;
    return this.#unsettledUntil(watched) === Number.POSITIVE_INFINITY;
  }

  /** Returns when the lists certainly show the last report, if the last check began before that time; else infinity. */
  #unsettledUntil({ reportedAt, startedAt }: Watched): number {
    const settled = (reportedAt ?? Number.NEGATIVE_INFINITY) + this.#settings.settleMs;
    return startedAt < settled ? settled : Number.POSITIVE_INFINITY;
  }

  #isVerified(id: number, event: Raw, time: number): boolean {
    const position = this.#verified.get(id);
    if (position !== undefined) return (toWholeNumber(event.ut) ?? 0) <= position;
    return !this.#events.has(id) && this.hasExpired(event, time);
  }
}

/** Whether a flag of the provider is set, in any of its notations. */
export function isYes(flag: unknown): boolean {
  return flag === 'yes' || flag === true || flag === 1 || flag === '1';
}
