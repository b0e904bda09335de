/**
 * What has to be checked by reading an event's whole incident list, and when: live events that wait for a confirmation
 * or whose feed is silent, finished ones until they are verified, and those of which something was told late. Pure: times
 * are given, in milliseconds of the poller's own clock, but for those of events.
 */
import { toWholeNumber } from '#contract/values.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import type { Raw } from './tree.ts';

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
  /** The last check; null where none was made in this state. */
  checkedAt: number | null;
  checking: boolean;
  /** The provider's time of the last snapshot, Unix seconds; null before the first. */
  snapshotAt: number | null;
  /** The lowest `ut` of an incident that was told since the last check began, and before that since the one before. */
  lowestUt: number;
  lowestUtBefore: number;
  /** Not checked before. */
  notBefore: number;
  failures: number;
};

/** What a check has found. */
export type Checked = {
  /** The provider's time of the snapshot, Unix seconds; null where none was made. */
  readonly snapshotAt: number | null;
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
    if (this.#verified.has(id) && event_fields.length > 0) {
      this.#verified.delete(id);
      this.#enter(id, {}, 'finished', now);
    }
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    watched.heardAt = now;
    if (message.incident === null) return;
    const { deleted, incident } = message.incident;
    watched.lowestUt = Math.min(watched.lowestUt, incident.ut);
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
      watched.told.clear();
      watched.lowestUtBefore = watched.lowestUt;
      watched.lowestUt = Number.POSITIVE_INFINITY;
      return watched.id;
    }
    return null;
  }

  /** A check is over. False where what was told meanwhile is taken as removed by it: it has to be made again. */
  checked(id: number, { snapshotAt, unconfirmed, now }: Checked): boolean {
    const watched = this.#events.get(id);
    if (watched === undefined) return true;
    watched.checking = false;
    watched.snapshotAt = snapshotAt;
    watched.checkedAt = now;
    watched.failures = 0;
    watched.unconfirmed.clear();
    for (const incident of [...unconfirmed, ...watched.told]) watched.unconfirmed.add(incident);
    return !isOverruled(watched);
  }

  /** A check has failed; `waitMs` of how many failures in a row there were. */
  failed(id: number, now: number, waitMs: (failures: number) => number): void {
    const watched = this.#events.get(id);
    if (watched === undefined) return;
    watched.checking = false;
    watched.lowestUt = Math.min(watched.lowestUt, watched.lowestUtBefore);
    watched.failures += 1;
    watched.notBefore = now + waitMs(watched.failures);
  }

  /** Whether a finished event needs no more checks after one that showed it so, at the provider's `time`. */
  isSettled(event: Raw, time: number): boolean {
    return event.status_type === 'finished' && (isYes(event.verified_result) || this.#isOld(event, time));
  }

  /** A finished event is done with: it is checked again only if it changes after `position`, Unix seconds. */
  verified(id: number, position: number): void {
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
        checkedAt: null,
        checking: false,
        snapshotAt: null,
        lowestUt: Number.POSITIVE_INFINITY,
        lowestUtBefore: Number.POSITIVE_INFINITY,
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
    if (state === 'finished') return checkedAt + verifyMs;
    return Math.min(
      unconfirmed.size > 0 ? checkedAt + unconfirmedMs : Number.POSITIVE_INFINITY,
      clockRuns ? Math.max(checkedAt, heardAt) + silenceMs : Number.POSITIVE_INFINITY,
    );
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
 * Whether an incident was told that the last snapshot takes as removed (law 3), because it was written before that and
 * not listed yet: it was late. The next snapshot lists it, or does not.
 */
function isOverruled({ snapshotAt, lowestUt }: Watched): boolean {
  return snapshotAt !== null && lowestUt <= snapshotAt - SETTLE;
}

/** Whether a flag of the provider is set, in any of the ways it is written. */
export function isYes(flag: unknown): boolean {
  return flag === 'yes' || flag === true || flag === 1 || flag === '1';
}
