/** Finds out when live matches become stale and recover. Pure. */
import type { FeedStatus } from '#tradability/feed-status.ts';

/** Interval between checks for changes: a heartbeat is valid for 1.75 s, and every reader must notice its end within 2 s. */
export const STALE_CHECK_MS = 50;

/** A match that became stale or recovered. */
type FeedChange = {
  readonly kind: 'match_stale' | 'match_recovered';
  readonly eventId: number;
  /** When it became stale, Unix milliseconds: the same in both changes of one episode. */
  readonly since: number;
  /** State and reason of its source, and how far it is delayed, e.g. `45 s`; empty when it recovered. */
  readonly reasons: readonly string[];
};

/** States that are neither stale nor recovered: the match is over, or has no record. */
const IGNORED_STATES: ReadonlySet<FeedStatus['state']> = new Set(['ended', 'unknown']);

/** The stale matches, each with the time when it became stale. */
export class StaleMatches {
  readonly #open: Map<number, number>;

  /** `open`: matches that are already reported as stale, with the time since when, Unix milliseconds. */
  constructor(open: ReadonlyMap<number, number> = new Map()) {
    this.#open = new Map(open);
  }

  /** Returns the changes since the last call: each episode begins once, however its reasons change, and ends once. */
  changes(feeds: Iterable<readonly [eventId: number, feed: FeedStatus]>): FeedChange[] {
    return [...feeds].flatMap(([eventId, feed]) => this.#changeOf(eventId, feed) ?? []);
  }

  #changeOf(eventId: number, feed: FeedStatus): FeedChange | null {
    const { believed, state, since: from } = feed;
    const open = this.#open.get(eventId);
    if (IGNORED_STATES.has(state)) this.#open.delete(eventId);
    else if (believed && open !== undefined) {
      this.#open.delete(eventId);
      return { kind: 'match_recovered', eventId, since: open, reasons: [] };
    } else if (!believed && open === undefined) {
      const since = from ?? 0;
      this.#open.set(eventId, since);
      return { kind: 'match_stale', eventId, since, reasons: reasonsOf(feed) };
    }
    return null;
  }
}

function reasonsOf({ state, reason, delay }: FeedStatus): string[] {
  const by = state === 'delayed' && delay !== null ? [`${Math.round(delay / 1_000)} s`] : [];
  return [state, ...(reason === null ? [] : [reason]), ...by];
}
