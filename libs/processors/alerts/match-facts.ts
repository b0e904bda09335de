import type { MatchState } from '#records/types.ts';
import { nextState } from '#tradability/trading.ts';
import type { KnownMatch } from './alert.ts';

/** The last known name, competition, teams, status and guard of every match. */
export class KnownMatches {
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
}
