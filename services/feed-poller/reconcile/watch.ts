/**
 * What has to be checked by reading an event's whole incident list, and when: live events that wait for a confirmation
 * or whose feed is silent, finished ones until they are verified, and those of which something was told late. Pure: times
 * are given, in milliseconds of the poller's own clock, but for those of events.
 */
import { toWholeNumber } from '#contract/values.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import type { Raw } from '../provider/tree.ts';

/** The margin of the laws for snapshots, seconds. */
const SETTLE = 5;

/** When events are checked, milliseconds. */
export type WatchSettings = {
  /** A live event with incidents that wait for a confirmation, after the check before. */
  readonly unconfirmedMs: number;
  /** A live event whose clock runs, after the last sign of it. */
  readonly silenceMs: number;
  /** A finished event that is not verified, after the check before. */
  readonly verifyMs: number;
  /** How much later than the feed lists may tell the same: a provider that derives them takes a moment. */
  readonly settleMs: number;
  /** Finished events that began longer ago, in seconds of the provider's clock, count as verified. */
  readonly verifyWithin: number;
  /** Which events are watched at all. */
  readonly follows: (event: Raw) => boolean;
};

type Watched = {
  readonly id: number;
  readonly sport: number | null;
  state: 'live' | 'finished';
  clockRuns: boolean;
  /** Ids of the incidents that wait for a confirmation, and those of them that were told since the last check began. */
  readonly unconfirmed: Set<string>;
  readonly told: Set<string>;
  /** The last message of the feed. */
  heardAt: number;
  /**
   * The last message that tells fields of the event, or its first sight as a finished one: what the feed said before is
   * not known, and the lists may not have known it yet. Null where there was neither.
   */
  toldAt: number | null;
  /** When the last check began, and when it was over; null where none was made in this state. */
  startedAt: number;
  checkedAt: number | null;
  checking: boolean;
  /** The provider's time of the last snapshot, Unix seconds; null before the first. */
  snapshotAt: number | null;
  /** Incidents that were told, by id, until a list shows them so or has had time enough to. */
  readonly incidents: Map<string, ToldIncident>;
  /** Not checked before. */
  notBefore: number;
  failures: number;
};

/** What the feed said of an incident. `ut`: Unix seconds; `at`: when it was heard, milliseconds. */
type ToldIncident = { readonly ut: number; readonly deleted: boolean; readonly at: number };

/** What a check has found. */
export type Checked = {
  /** The provider's time of the snapshot, Unix seconds; null where none was made. */
  readonly snapshotAt: number | null;
  /** The `ut` of each incident of the list, by id; null where it has none. */
  readonly listed: ReadonlyMap<string, number | null>;
  /** Ids of the incidents that wait for a confirmation. */
  readonly unconfirmed: readonly string[];
  readonly now: number;
};

/** The events that are watched. */
export class Watch {
  readonly #settings: WatchSettings;
  readonly #events = new Map<number, Watched>();
  /** Finished events that are done with, each with the provider's time of its last check, Unix seconds. */
  readonly #verified: Map<number, number>;

  /** `verified`: what the checkpoints say. */
  constructor(settings: WatchSettings, verified: Iterable<readonly [id: number, position: number]>) {
    this.#settings = settings;
    this.#verified = new Map(verified);
  }

  /** Learns of an event as a list has it. `time`: `api.timestamp` of the answer, Unix seconds. */
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

  /** Learns of a message of the feed. */
  onMessage(message: NormalizedMessage, now: number): void {
    const { event_id: id, event_fields } = message;
    // What is told of an event after it was settled may have been overruled by that: it is settled anew.
    if ((event_fields.length > 0 || message.incident !== null) && this.#verified.delete(id))
      this.#enter(id, {}, 'finished', now);
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    watched.heardAt = now;
    if (event_fields.length > 0) watched.toldAt = now;
    if (message.incident === null) return;
    const { deleted, incident } = message.incident;
    const before = watched.incidents.get(incident.id);
    if (before === undefined || before.ut <= incident.ut)
      watched.incidents.set(incident.id, { ut: incident.ut, deleted, at: now });
    for (const ids of [watched.unconfirmed, watched.told]) {
      if (!deleted && incident.confirmation === 'tbd') ids.add(incident.id);
      else ids.delete(incident.id);
    }
  }

  /** Live events that the board of their sport no longer lists: what became of them is seen by a check. */
  onBoard(sport: number, listed: ReadonlySet<number>): void {
    for (const watched of this.#events.values()) {
      if (watched.state === 'live' && watched.sport === sport && !listed.has(watched.id)) {
        watched.checkedAt = null;
      }
    }
  }

  /** An event that is due, which is then being checked until `checked`, `failed` or `drop`; null where none is. */
  take(now: number): number | null {
    for (const watched of this.#events.values()) {
      if (watched.checking || watched.notBefore > now || this.#dueAt(watched) > now) continue;
      watched.checking = true;
      watched.startedAt = now;
      watched.told.clear();
      return watched.id;
    }
    return null;
  }

  /**
   * A check is over. False where it is not the last word: it overrules what the feed has told, or the event was told of
   * so late that the lists may not have known it yet. It has to be made again then.
   */
  checked(id: number, { snapshotAt, listed, unconfirmed, now }: Checked): boolean {
    const watched = this.#events.get(id);
    if (watched === undefined) return true;
    watched.checking = false;
    watched.snapshotAt = snapshotAt;
    watched.checkedAt = now;
    watched.failures = 0;
    watched.unconfirmed.clear();
    for (const incident of [...unconfirmed, ...watched.told]) watched.unconfirmed.add(incident);
    const known = watched.startedAt - this.#settings.settleMs;
    for (const [incident, told] of watched.incidents) {
      if (told.at <= known || isShown(told, listed.get(incident))) watched.incidents.delete(incident);
    }
    return this.#isLastWord(watched);
  }

  /** A check has failed; `waitMs` of how many failures in a row there were. */
  failed(id: number, now: number, waitMs: (failures: number) => number): void {
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    watched.checking = false;
    watched.failures += 1;
    watched.notBefore = now + waitMs(watched.failures);
  }

  /** Whether a finished event needs no more checks after one that showed it so, at the provider's `time`. */
  isSettled(event: Raw, time: number): boolean {
    return event.status_type === 'finished' && (isYes(event.verified_result) || this.#isOld(event, time));
  }

  /**
   * A finished event is done with: it is checked again only if it changes after `position`, Unix seconds. One that was
   * told of since its check is not.
   */
  verified(id: number, position: number): void {
    const watched = this.#events.get(id);
    if (watched !== undefined && !this.#isLastWord(watched)) return;
    this.#verified.set(id, position);
    this.#events.delete(id);
  }

  /** Watches an event no more, until a list has it again. */
  drop(id: number): void {
    this.#events.delete(id);
  }

  /** How many are watched, by state. */
  counts(): { readonly live: number; readonly finished: number } {
    let live = 0;
    for (const { state } of this.#events.values()) if (state === 'live') live += 1;
    return { live, finished: this.#events.size - live };
  }

  #enter(id: number, event: Raw, state: Watched['state'], now: number): Watched {
    let watched = this.#events.get(id);
    if (watched === undefined) {
      watched = {
        id,
        sport: toWholeNumber(event.sport_id),
        state,
        clockRuns: false,
        unconfirmed: new Set(),
        told: new Set(),
        heardAt: now,
        toldAt: state === 'finished' ? now : null,
        startedAt: now,
        checkedAt: null,
        checking: false,
        snapshotAt: null,
        incidents: new Map(),
        notBefore: 0,
        failures: 0,
      };
      this.#events.set(id, watched);
    }
    if (watched.state !== state) watched.checkedAt = null;
    watched.state = state;
    return watched;
  }

  #dueAt(watched: Watched): number {
    const { state, checkedAt, unconfirmed, clockRuns, heardAt } = watched;
    const { unconfirmedMs, silenceMs, verifyMs } = this.#settings;
    // What happened before it was first seen is in no window that is still read, perhaps.
    if (checkedAt === null) return 0;
    if (isOverruled(watched)) return checkedAt + unconfirmedMs;
    if (state === 'finished') return Math.min(checkedAt + verifyMs, this.#unsettledUntil(watched));
    return Math.min(
      unconfirmed.size > 0 ? checkedAt + unconfirmedMs : Number.POSITIVE_INFINITY,
      clockRuns ? Math.max(checkedAt, heardAt) + silenceMs : Number.POSITIVE_INFINITY,
    );
  }

  #isLastWord(watched: Watched): boolean {
    return !isOverruled(watched) && this.#unsettledUntil(watched) === Number.POSITIVE_INFINITY;
  }

  /** When the lists know what was told last, where the last check was made before that; else never. */
  #unsettledUntil({ toldAt, startedAt }: Watched): number {
    const settled = toldAt === null ? Number.NEGATIVE_INFINITY : toldAt + this.#settings.settleMs;
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

/**
 * Whether the last snapshot says otherwise than what was told of an incident (law 3): it takes one as removed that was
 * written before it and not listed yet, or as there that was deleted before it and listed still. It was late, or the
 * list was behind the feed.
 */
function isOverruled({ snapshotAt, incidents }: Watched): boolean {
  if (snapshotAt === null) return false;
  for (const { ut, deleted } of incidents.values()) {
    if (deleted ? ut < snapshotAt : ut <= snapshotAt - SETTLE) return true;
  }
  return false;
}

/** Whether a list shows an incident as it was told, or later. `listed`: its `ut` there; undefined where it is not. */
function isShown({ ut, deleted }: ToldIncident, listed: number | null | undefined): boolean {
  if (deleted) return listed === undefined || (listed !== null && listed > ut);
  return listed !== undefined && (listed === null || listed >= ut);
}

/** Whether a flag of the provider is set, in any of the ways it is written. */
export function isYes(flag: unknown): boolean {
  return flag === 'yes' || flag === true || flag === 1 || flag === '1';
}
