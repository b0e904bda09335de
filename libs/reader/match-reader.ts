import { type Belief, FeedHealth } from './feed-health.ts';
import { type Change, Match } from './match.ts';
import type { FeedHealthRecord, MatchStateRecord, TransitionRecord } from './records.ts';

/** What came of a record. */
export type Applied = {
  /** False where the record was not newer than what is known: it was read before. */
  readonly isNew: boolean;
  readonly changes: readonly Change[];
};

/** Whether trading may act on a match now. */
export type Guard = {
  readonly safe: boolean;
  /**
   * Empty exactly where it is safe: the reasons of match state; `unknown_match`: there is no state of it; `loading`: its partition is not
   * caught up; `behind`: a newer change was read than the state has; `unknown_score`: there is no firm score; `unsafe`: match state gives
   * no reason; `feed_<state>`: feed health says not to believe it, e.g. `feed_stale`.
   */
  readonly reasons: readonly string[];
  readonly feed: Belief;
};

type Partition = {
  /** Its state is not read up to its end as of the assignment. */
  isLoading: boolean;
  /** It never was. */
  isFresh: boolean;
  readonly matches: Map<number, Match>;
};

const REPEATED: Applied = { isNew: false, changes: [] };

/**
 * Joins `match-state`, `match-transitions` and `feed-health`. It reads nothing itself: give it the decoded records of any Kafka client,
 * those of a partition in their order. Records that are read twice change nothing, so a reader begins again wherever it likes.
 */
export class MatchReader {
  readonly #partitions = new Map<number, Partition>();
  readonly #health = new FeedHealth();

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
  caughtUp(partition: number): readonly Change[] {
    const of = this.#partitions.get(partition);
    if (of === undefined || !of.isLoading) return [];
    if (of.isFresh) for (const match of of.matches.values()) match.startAfterState();
    of.isLoading = false;
    of.isFresh = false;
    return [...of.matches.values()].flatMap((match) => match.report());
  }

  /** Applies a record of `match-state`; a value of null says that the match is gone. Records of partitions that are not assigned are ignored. */
  applyState(partition: number, eventId: number, value: MatchStateRecord | null): Applied {
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
  applyTransition(partition: number, value: TransitionRecord): Applied {
    const of = this.#partitions.get(partition);
    if (of === undefined) return REPEATED;
    const match = matchOf(of, value.event_id);
    const gap = match.applyTransition(value);
    if (gap === null) return REPEATED;
    if (of.isFresh) return REPEATED;
    return { isNew: true, changes: of.isLoading ? gap : [...gap, ...match.report()] };
  }

  /** Applies a record of `feed-health`, of which each reader reads everything; a value of null deletes its key. */
  applyHealth(key: string, value: FeedHealthRecord | null): void {
    this.#health.apply(key, value);
  }

  /** The newest state of a match; null where there is none. */
  state(eventId: number): MatchStateRecord | null {
    return this.#find(eventId)?.match.state ?? null;
  }

  /** The ids of all known matches. */
  *eventIds(): Generator<number> {
    for (const { matches } of this.#partitions.values()) yield* matches.keys();
  }

  /** Whether trading may act on a match at `now`, Unix milliseconds. Ask anew before each act: it closes by time alone. */
  guard(eventId: number, now: number): Guard {
    const feed = this.#health.belief(eventId, now);
    const found = this.#find(eventId);
    const state = found?.match.state ?? null;
    const reasons = state === null ? ['unknown_match'] : [...state.guard.reasons];
    if (state !== null && !state.guard.safe && reasons.length === 0) reasons.push('unsafe');
    if (state !== null && state.firm === null) reasons.push('unknown_score');
    if (found?.isLoading) reasons.push('loading');
    else if (found !== null && state !== null && found.match.isBehind) reasons.push('behind');
    if (!feed.believed) reasons.push(`feed_${feed.state}`);
    return { safe: reasons.length === 0, reasons, feed };
  }

  #find(eventId: number): { readonly match: Match; readonly isLoading: boolean } | null {
    for (const { matches, isLoading } of this.#partitions.values()) {
      const match = matches.get(eventId);
      if (match !== undefined) return { match, isLoading };
    }
    return null;
  }
}

function matchOf({ matches }: Partition, eventId: number): Match {
  const known = matches.get(eventId);
  if (known !== undefined) return known;
  const match = new Match(eventId);
  matches.set(eventId, match);
  return match;
}
