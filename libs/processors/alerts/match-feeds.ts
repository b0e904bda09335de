import type { FeedHealth, TradingHalt } from '#records/types.ts';
import { HealthTable, type ReaderLimits } from '#tradability/feed-status.ts';
import { HaltTable } from '#tradability/halts.ts';
import { isOver } from '#tradability/trading.ts';
import type { KnownMatches } from './match-facts.ts';
import type { MatchNow } from './stale-matches.ts';

/** The feed status and the halts by hand of every match, with this machine's clocks. */
export class MatchFeeds {
  readonly #table = new HealthTable();
  readonly halts = new HaltTable<TradingHalt>();
  readonly #matches: KnownMatches;

  constructor(matches: KnownMatches) {
    this.#matches = matches;
  }

  /** Yields each match that has a record of feed-health and is not over, as a reader with these limits believes it. */
  *now(limits: ReaderLimits): Generator<MatchNow> {
    const now = { wall: Date.now(), steady: performance.now() };
    for (const eventId of this.#table.events()) {
      const match = this.#matches.latest(eventId);
      if (isOver(match?.status_type ?? null)) continue;
      const of = { event_id: eventId, competition_id: match?.competition_id ?? null };
      yield { eventId, feed: this.#table.match(eventId, now, limits), halts: this.halts.standing(now, of) };
    }
  }

  /** Applies the next record of a key of feed-health; null for a deleted one. */
  apply(key: string, record: FeedHealth | null): void {
    this.#table.apply(key, record, performance.now());
  }
}
