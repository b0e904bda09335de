/** When live matches become stale and recover, as time passes. Pure. */
import type { FeedStatus } from '#tradability/feed-status.ts';

/** How often changes are looked for, milliseconds: a heartbeat is valid for 1.75 s, and within 2 s everybody knows. */
export const LOOK_EVERY_MS = 50;

/** A match that became stale or recovered. */
export type FeedChange = {
  readonly kind: 'match_stale' | 'match_recovered';
  readonly eventId: number;
  /** Since when it was stale, Unix milliseconds: joins both changes of one episode. */
  readonly since: number;
  /** State and reason of its source; none where it recovered. */
  readonly reasons: readonly string[];
};

/** Of a match that is over nothing is missed; of one without a record nothing was ever said. */
const UNJUDGED: ReadonlySet<FeedStatus['state']> = new Set(['ended', 'unknown']);

/** The stale matches, each with the time since. */
export class Withdrawals {
  readonly #open: Map<number, number>;

  /** `open`: those that are reported already. */
  constructor(open: ReadonlyMap<number, number> = new Map()) {
    this.#open = new Map(open);
  }

  /** Compares the feeds now with what was reported: each episode begins once, however its reasons change, and ends once. */
  changes(feeds: Iterable<readonly [eventId: number, feed: FeedStatus]>): FeedChange[] {
    return [...feeds].flatMap(([eventId, feed]) => this.#changeOf(eventId, feed) ?? []);
  }

  #changeOf(eventId: number, { believed, state, reason, since: from }: FeedStatus): FeedChange | null {
    const open = this.#open.get(eventId);
    if (UNJUDGED.has(state)) this.#open.delete(eventId);
    else if (believed && open !== undefined) {
      this.#open.delete(eventId);
      return { kind: 'match_recovered', eventId, since: open, reasons: [] };
    } else if (!believed && open === undefined) {
      const since = from ?? 0;
      this.#open.set(eventId, since);
      return { kind: 'match_stale', eventId, since, reasons: reason === null ? [state] : [state, reason] };
    }
    return null;
  }
}
