import type { FeedHealth } from '#records/types.ts';
import { type FeedStatus, HealthTable } from '#tradability/feed-status.ts';
import { isOver } from '#tradability/trading.ts';
import type { KnownMatches } from './match-facts.ts';

/** The feed status of every match, derived from feed-health with this machine's clocks. */
export class MatchFeeds {
  readonly #table = new HealthTable();
  readonly #matches: KnownMatches;

  constructor(matches: KnownMatches) {
    this.#matches = matches;
  }

  /** Yields each match that has a record and is not over, with its current feed status. */
  *now(): Generator<readonly [eventId: number, feed: FeedStatus]> {
    const now = { wall: Date.now(), steady: performance.now() };
    for (const eventId of this.#table.events())
      if (!isOver(this.#matches.latest(eventId)?.status_type ?? null))
        yield [eventId, this.#table.match(eventId, now)];
  }

  /** Applies the next record of a key of feed-health; null for a deleted one. */
  apply(key: string, record: FeedHealth | null): void {
    this.#table.apply(key, record, performance.now());
  }
}
