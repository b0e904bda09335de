import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import { HealthTable, type ReaderLimits } from '#trading/feed-status.ts';
import { HaltTable } from '#trading/halts.ts';
import { isOver, nextState } from '#trading/trading.ts';
import type { KnownMatch } from './alert.ts';
import type { MatchNow } from './stale-matches.ts';

/** The last known name, competition, teams, status and guard of every match, its feed status and its halts by hand. */
export class KnownMatches {
  readonly health = new HealthTable<FeedHealth>();
  readonly halts = new HaltTable<TradingHalt>();
  readonly #matches = new Map<number, KnownMatch>();

  /** Returns the last known state of a match; null when it is unknown. */
  latest(eventId: number): KnownMatch | null {
    return this.#matches.get(eventId) ?? null;
  }

  /** Applies the next state of a match; null for a deleted one. */
  apply(eventId: number, state: MatchState | null): void {
    if (state === null) {
      this.#matches.delete(eventId);
      return;
    }
    const { version, cause, guard, name, competition_id, home, away, status_type } = nextState(
      this.latest(eventId),
      state,
    );
    this.#matches.set(eventId, { version, cause, guard, name, competition_id, home, away, status_type });
  }

  /** Yields each match that has a record of feed-health and is not over, as a reader with these limits believes it now. */
  *now(limits: ReaderLimits): Generator<MatchNow> {
    const now = { wall: Date.now(), steady: performance.now() };
    for (const eventId of this.health.events()) {
      const match = this.latest(eventId);
      if (isOver(match?.status_type ?? null)) continue;
      const of = { event_id: eventId, competition_id: match?.competition_id ?? null };
      yield { eventId, feed: this.health.match(eventId, now, limits), halts: this.halts.standing(now, of) };
    }
  }
}
