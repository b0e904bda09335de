import { toWholeNumber } from '#json/values.ts';
import type { RefusedList } from '#records/types.ts';
import type { Raw } from '../provider/tree.ts';
import { KnownIncidents } from './known-incidents.ts';
import { ReportedIncidents } from './reported-incidents.ts';

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
  /**
   * When the feed last reported fields of the event, or when the event was first seen, if it was finished then: earlier
   * messages are unknown, and the lists may lag behind them. Null when neither happened.
   */
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
