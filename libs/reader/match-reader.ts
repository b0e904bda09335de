import { type FeedStatus, type HealthRecord, HealthTable, type Now } from '../tradability/feed-status.ts';
import { type Trading, tradingOf } from '../tradability/trading.ts';
import { type ReaderChange, ReaderMatch } from './match.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

/** The effect of a record. */
export type AppliedRecord = {
  /** Whether the record is newer than what is known; false if it was read before. */
  readonly isNew: boolean;
  readonly changes: readonly ReaderChange[];
};

/**
 * Whether trading may act on a match now. Two more reasons than in `Trading`: `loading`: its partition is not caught up; `behind`:
 * a change was read that is newer than the state.
 */
export type ReaderGuard = Trading & {
  /** Whether the permission is `safe`. */
  readonly safe: boolean;
  readonly feed: FeedStatus;
};

type AssignedPartition = {
  /** Whether `match-state` is not yet read to the end that it had after the assignment. */
  isLoading: boolean;
  /** Whether the partition was never caught up. */
  isFresh: boolean;
  readonly matches: Map<number, ReaderMatch>;
};

const NO_CHANGES: AppliedRecord = { isNew: false, changes: [] };

/**
 * Joins `match-state`, `match-transitions` and `feed-health`. Reads nothing itself: pass the decoded records of any Kafka client,
 * those of a partition in their order. A record that is read twice changes nothing, so a program may start again at any offset.
 */
export class MatchReader {
  readonly #partitions = new Map<number, AssignedPartition>();
  readonly #health = new HealthTable();

  /**
   * Sets the partitions that are read from now on: call it at the start and after each rebalance. Forgets the matches of other
   * partitions; does not report those of kept partitions again. All partitions are loading until `caughtUp`: read `match-state` of
   * each from its beginning.
   */
  assign(partitions: Iterable<number>): void {
    const assigned = new Set(partitions);
    for (const partition of this.#partitions.keys())
      if (!assigned.has(partition)) this.#partitions.delete(partition);
    for (const partition of assigned) {
      const known = this.#partitions.get(partition);
      if (known === undefined)
        this.#partitions.set(partition, { isLoading: true, isFresh: true, matches: new Map() });
      else known.isLoading = true;
    }
  }

  /**
   * Ends the loading of a partition: call it at the end that its `match-state` had after `assign`. Returns the changes of goals of
   * all its matches: while a partition is loading, states are older than the newest, and no goal is reported.
   */
  caughtUp(partition: number): readonly ReaderChange[] {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined || !assigned.isLoading) return [];
    if (assigned.isFresh) for (const match of assigned.matches.values()) match.startAfterState();
    assigned.isLoading = false;
    assigned.isFresh = false;
    return [...assigned.matches.values()].flatMap((match) => match.report());
  }

  /** Applies a record of `match-state`; null deletes the match. Ignores records of partitions that are not assigned. */
  applyState(partition: number, eventId: number, value: MatchStateRecord | null): AppliedRecord {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined) return NO_CHANGES;
    if (value === null) return { isNew: assigned.matches.delete(eventId), changes: [] };
    const match = matchOf(assigned, eventId);
    if (!match.applyState(value)) return NO_CHANGES;
    return { isNew: true, changes: assigned.isLoading ? [] : match.report() };
  }

  /**
   * Applies a record of `match-transitions`. No record is new before a partition is caught up for the first time: its state includes
   * the change. Ignores records of partitions that are not assigned.
   */
  applyTransition(partition: number, value: TransitionRecord): AppliedRecord {
    const assigned = this.#partitions.get(partition);
    if (assigned === undefined) return NO_CHANGES;
    const match = matchOf(assigned, value.event_id);
    const gap = match.applyTransition(value);
    if (gap === null || assigned.isFresh) return NO_CHANGES;
    return { isNew: true, changes: assigned.isLoading ? gap : [...gap, ...match.report()] };
  }

  /**
   * Applies a record of `feed-health`; null deletes its key. Each reader reads all partitions of the topic. `at`: when the record was
   * read, by the steady clock that is also passed to `guard`, milliseconds.
   */
  applyHealth(key: string, value: HealthRecord | null, at: Now['steady']): void {
    this.#health.apply(key, value, at);
  }

  /** Returns the newest state of a match; null if there is none. */
  state(eventId: number): MatchStateRecord | null {
    return this.#find(eventId)?.match.state ?? null;
  }

  /** Yields the ids of all known matches. */
  *eventIds(): Generator<number> {
    for (const { matches } of this.#partitions.values()) yield* matches.keys();
  }

  /** Decides whether trading may act on a match now. Call it before each act: a guard may close without a new record. */
  guard(eventId: number, now: Now): ReaderGuard {
    const feed = this.#health.match(eventId, now);
    const found = this.#find(eventId);
    const state = found?.match.state ?? null;
    const doubts: string[] = [];
    if (found?.isLoading) doubts.push('loading');
    else if (found !== null && state !== null && found.match.isBehind) doubts.push('behind');
    const { permission, reasons } = tradingOf(state, feed, doubts);
    return { permission, safe: permission === 'safe', reasons, feed };
  }

  #find(eventId: number): { readonly match: ReaderMatch; readonly isLoading: boolean } | null {
    for (const { matches, isLoading } of this.#partitions.values()) {
      const match = matches.get(eventId);
      if (match !== undefined) return { match, isLoading };
    }
    return null;
  }
}

function matchOf({ matches }: AssignedPartition, eventId: number): ReaderMatch {
  const known = matches.get(eventId);
  if (known !== undefined) return known;
  const match = new ReaderMatch(eventId);
  matches.set(eventId, match);
  return match;
}
