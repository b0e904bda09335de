import {
  type FeedStatus,
  type HealthRecord,
  HealthTable,
  type Now,
  type ReaderLimits,
} from '../trading/feed-status.ts';
import { type HaltRecord, HaltTable } from '../trading/halts.ts';
import { doubtsOf, type Trading, tradingOf } from '../trading/trading.ts';
import { type ReaderChange, ReaderMatch } from './match.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

/** The effect of a record. */
export type AppliedRecord = {
  /** Whether the record is newer than what is known; false if it was read before. */
  readonly isNew: boolean;
  readonly changes: readonly ReaderChange[];
};

/**
 * Whether trading may act on a match now. Three more reasons than in `Trading`: `loading`: its partition is not caught up; `behind`:
 * a change was read that is newer than the state; `states_unread`: its partition was not read to its end for 1.75 s.
 */
export type ReaderGuard = Trading & {
  /** Whether the permission is `safe`. */
  readonly safe: boolean;
  readonly feed: FeedStatus;
};

/** How far a partition is read. */
class ReadProgress {
  /** Offset of the next record. */
  #next = 0;
  /** An end that it had, and when, until it is read; null: none. */
  #end: { readonly offset: number; readonly at: number } | null = null;
  /** When it had the last end that is read. */
  readAt = Number.NEGATIVE_INFINITY;

  /** The earlier end stays: a log that grows all the time is never read to its newest end. */
  endsAt(offset: number, at: number): void {
    this.#end ??= { offset, at };
    this.readTo(this.#next);
  }

  readTo(next: number): void {
    this.#next = Math.max(this.#next, next);
    if (this.#end === null || this.#next < this.#end.offset) return;
    this.readAt = this.#end.at;
    this.#end = null;
  }

  /** Begins again, with the same `readAt`. */
  restart(): void {
    this.#next = 0;
    this.#end = null;
  }
}

type AssignedPartition<S extends MatchStateRecord> = {
  /** Whether `match-state` is not yet read to the end that it had after the assignment. */
  isLoading: boolean;
  /** Whether the partition was never caught up. */
  isFresh: boolean;
  readonly matches: Map<number, ReaderMatch<S>>;
  /** Of `match-state`. */
  readonly read: ReadProgress;
};

const NO_CHANGES: AppliedRecord = { isNew: false, changes: [] };

/**
 * Joins `match-state`, `match-transitions`, `feed-health` and `trading-halts`. Reads nothing itself: pass the decoded records of any Kafka client,
 * those of a partition in their order. A record that is read twice changes nothing, so a program may start again at any offset.
 */
export class MatchReader<
  S extends MatchStateRecord = MatchStateRecord,
  F extends HealthRecord = HealthRecord,
  H extends HaltRecord = HaltRecord,
> {
  readonly #partitions = new Map<number, AssignedPartition<S>>();
  /** The status of sources and matches, by the records of `feed-health`. */
  readonly health: HealthTable<F>;
  /** The halts by hand, by the records of `trading-halts`. */
  readonly halts = new HaltTable<H>();
  readonly #haltsRead = new ReadProgress();

  /** `limits`: your own, stricter than the platform's. Throws `RangeError` for others. */
  constructor(limits: ReaderLimits = {}) {
    this.health = new HealthTable(limits);
  }

  /** Sets the partitions that are read; all are loading until `caughtUp`. Read `match-state` of each from its beginning. */
  assign(partitions: Iterable<number>): void {
    const assigned = new Set(partitions);
    for (const partition of this.#partitions.keys())
      if (!assigned.has(partition)) this.#partitions.delete(partition);
    for (const partition of assigned) {
      const known = this.#partitions.get(partition);
      const { isFresh, matches, read } = known ?? {
        isFresh: true,
        matches: new Map(),
        read: new ReadProgress(),
      };
      read.restart();
      this.#partitions.set(partition, { isLoading: true, isFresh, matches, read });
    }
  }

  /** Ends the loading of a partition: call it at the end that its `match-state` had after `assign`. Returns the goals that changed by then. */
  caughtUp(partition: number): readonly ReaderChange[] {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined || !assigned.isLoading) return [];
    if (assigned.isFresh) for (const match of assigned.matches.values()) match.startAfterState();
    assigned.isLoading = false;
    assigned.isFresh = false;
    return [...assigned.matches.values()].flatMap((match) => match.report());
  }

  /** Tells the end of a partition of `match-state` at `at`, by the steady clock. Ask for it once a second, apart from reading. */
  endsAt(partition: number, end: number, at: number): void {
    this.#partitions.get(partition)?.read.endsAt(end, at);
  }

  /** Tells the offset of the next record of `match-state` that will be read: behind the markers of transactions too. */
  readTo(partition: number, next: number): void {
    this.#partitions.get(partition)?.read.readTo(next);
  }

  /** Applies a record of `match-state`; null deletes the match. Ignores records of partitions that are not assigned. */
  applyState(partition: number, eventId: number, value: S | null): AppliedRecord {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined) return NO_CHANGES;
    if (value === null) return { isNew: assigned.matches.delete(eventId), changes: [] };
    const match = matchOf(assigned, eventId);
    if (!match.applyState(value)) return NO_CHANGES;
    return { isNew: true, changes: assigned.isLoading ? [] : match.report() };
  }

  /** Applies a record of `match-transitions`; none is new before a partition is caught up for the first time. Ignores unassigned ones. */
  applyTransition(partition: number, value: TransitionRecord): AppliedRecord {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined) return NO_CHANGES;
    const match = matchOf(assigned, value.event_id);
    const gap = match.applyTransition(value);
    if (gap === null || assigned.isFresh) return NO_CHANGES;
    return { isNew: true, changes: assigned.isLoading ? gap : [...gap, ...match.report()] };
  }

  /** Applies a record of `feed-health`, of which each reader reads all partitions; null deletes its key. `at`: by the steady clock. */
  applyHealth(key: string, value: F | null, at: Now['steady']): void {
    this.health.apply(key, value, at);
  }

  /** Applies a record of `trading-halts`; null deletes its key. Each reader reads all of the topic. */
  applyHalt(key: string, value: H | null): void {
    this.halts.apply(key, value);
  }

  /** As `endsAt`, for `trading-halts`: a reader that may not know of a halt acts on no match. */
  haltsEndAt(end: number, at: number): void {
    this.#haltsRead.endsAt(end, at);
  }

  /** As `readTo`, for `trading-halts`. */
  haltsReadTo(next: number): void {
    this.#haltsRead.readTo(next);
  }

  /** Returns the newest state of a match; null if there is none. */
  state(eventId: number): S | null {
    return this.#find(eventId)?.match.state ?? null;
  }

  /** Returns the partitions that are assigned. */
  partitions(): readonly number[] {
    return [...this.#partitions.keys()];
  }

  /** Yields the ids of all known matches. */
  *eventIds(): Generator<number> {
    for (const { matches } of this.#partitions.values()) yield* matches.keys();
  }

  /** Decides whether trading may act on a match now. Call it before each act: a guard may close without a new record. */
  guard(eventId: number, now: Now): ReaderGuard {
    const feed = this.health.match(eventId, now);
    const found = this.#find(eventId);
    const state = found?.match.state ?? null;
    this.halts.readTo(this.#haltsRead.readAt);
    const competition_id = state?.competition_id ?? null;
    const halts = this.halts.standing(now, { event_id: eventId, competition_id });
    const doubts = found === null ? [] : doubtsAbout(found, now.steady);
    const { permission, reasons } = tradingOf(state, feed, halts, doubts);
    return { permission, safe: permission === 'safe', reasons, feed };
  }

  #find(eventId: number): FoundMatch<S> | null {
    for (const { matches, ...assigned } of this.#partitions.values()) {
      const match = matches.get(eventId);
      if (match !== undefined) return { match, ...assigned };
    }
    return null;
  }
}

type FoundMatch<S extends MatchStateRecord> = Pick<AssignedPartition<S>, 'isLoading' | 'read'> & {
  readonly match: ReaderMatch<S>;
};

function doubtsAbout<S extends MatchStateRecord>(
  { match: { state, changed }, isLoading, read }: FoundMatch<S>,
  now: Now['steady'],
): string[] {
  if (isLoading) return ['loading'];
  return state === null ? [] : doubtsOf({ version: state.version, changed, readAt: read.readAt, now });
}

function matchOf<S extends MatchStateRecord>(
  { matches }: AssignedPartition<S>,
  eventId: number,
): ReaderMatch<S> {
  const known = matches.get(eventId);
  if (known !== undefined) return known;
  const match = new ReaderMatch<S>(eventId);
  matches.set(eventId, match);
  return match;
}
