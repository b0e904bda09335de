import { type FeedStatus, type HealthRecord, HealthTable, type Now } from '../tradability/feed-status.ts';
import { type Trading, tradingOf } from '../tradability/trading.ts';
import { type ReaderChange, ReaderMatch } from './match.ts';
import type { MatchStateRecord, TransitionRecord } from './records.ts';

/** What came of a record. */
export type AppliedRecord = {
  /** False where the record was not newer than what is known: it was read before. */
  readonly isNew: boolean;
  readonly changes: readonly ReaderChange[];
};

/**
 * Whether trading may act on a match now. Besides the reasons of every reader: `loading`: its partition is not caught up; `behind`: a
 * newer change was read than the state has.
 */
export type ReaderGuard = Trading & {
  /** The permission is `safe`. */
  readonly safe: boolean;
  readonly feed: FeedStatus;
};

type Partition = {
  /** Its state is not read up to its end as of the assignment. */
  isLoading: boolean;
  /** It never was. */
  isFresh: boolean;
  readonly matches: Map<number, ReaderMatch>;
};

const REPEATED: AppliedRecord = { isNew: false, changes: [] };

/**
 * Joins `match-state`, `match-transitions` and `feed-health`. It reads nothing itself: give it the decoded records of any Kafka client,
 * those of a partition in their order. Records that are read twice change nothing, so a reader begins again wherever it likes.
 */
export class MatchReader {
  readonly #partitions = new Map<number, Partition>();
  readonly #health = new HealthTable();

  /**
   * Sets the partitions that are read from now on, at the start and after each rebalance. Matches of others are forgotten; those
   * of kept ones are not reported again. All are loading until `caughtUp`: read `match-state` of each from its beginning.
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
   * Ends the loading of a partition: the end that its `match-state` had after `assign` is reached. Gives the goals of all of its
   * matches: while it was loading, older states than the newest were read, and nothing was reported.
   */
  caughtUp(partition: number): readonly ReaderChange[] {
    const of = this.#partitions.get(partition);
    if (of === undefined || !of.isLoading) return [];
    if (of.isFresh) for (const match of of.matches.values()) match.startAfterState();
    of.isLoading = false;
    of.isFresh = false;
    return [...of.matches.values()].flatMap((match) => match.report());
  }

  /** Applies a record of `match-state`; a value of null says that the match is gone. Records of partitions that are not assigned are ignored. */
  applyState(partition: number, eventId: number, value: MatchStateRecord | null): AppliedRecord {
    const of = this.#partitions.get(partition);
    if (of === undefined) return REPEATED;
    if (value === null) return { isNew: of.matches.delete(eventId), changes: [] };
    const match = matchOf(of, eventId);
    if (!match.applyState(value)) return REPEATED;
    return { isNew: true, changes: of.isLoading ? [] : match.report() };
  }

  /**
   * Applies a record of `match-transitions`. Before a partition is caught up for the first time nothing is new: its state will have it.
   * Records of partitions that are not assigned are ignored.
   */
  applyTransition(partition: number, value: TransitionRecord): AppliedRecord {
    const of = this.#partitions.get(partition);
    if (of === undefined) return REPEATED;
    const match = matchOf(of, value.event_id);
    const gap = match.applyTransition(value);
    if (gap === null) return REPEATED;
    if (of.isFresh) return REPEATED;
    return { isNew: true, changes: of.isLoading ? gap : [...gap, ...match.report()] };
  }

  /**
   * Applies a record of `feed-health`, of which each reader reads everything; a value of null deletes its key. `at`: when it was read,
   * milliseconds of the steady clock that `guard` is asked with.
   */
  applyHealth(key: string, value: HealthRecord | null, at: Now['steady']): void {
    this.#health.apply(key, value, at);
  }

  /** The newest state of a match; null where there is none. */
  state(eventId: number): MatchStateRecord | null {
    return this.#find(eventId)?.match.state ?? null;
  }

  /** The ids of all known matches. */
  *eventIds(): Generator<number> {
    for (const { matches } of this.#partitions.values()) yield* matches.keys();
  }

  /** Whether trading may act on a match now. Ask anew before each act: it closes by time alone. */
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

function matchOf({ matches }: Partition, eventId: number): ReaderMatch {
  const known = matches.get(eventId);
  if (known !== undefined) return known;
  const match = new ReaderMatch(eventId);
  matches.set(eventId, match);
  return match;
}
