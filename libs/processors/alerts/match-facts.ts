import type { MatchState } from '#records/types.ts';
import { StreamError } from '#streams/errors.ts';
import { poll } from '#timing/poll.ts';
import { nextState } from '#tradability/trading.ts';
import type { KnownMatch } from './alert.ts';

/** Timeout for the state of a transition. Both are of one transaction, but are read from different topics. */
const STATE_TIMEOUT_MS = 30_000;
const POLL_MS = 5;

/** The last known name, competition, teams, score, status, goals and red cards of every match. */
export class KnownMatches {
  readonly #matches = new Map<number, NonNullable<KnownMatch>>();

  /** Returns the last known state of a match; null when it is unknown. */
  latest(eventId: number): KnownMatch {
    return this.#matches.get(eventId) ?? null;
  }

  /** Waits for a version of a match, or a later one. Rejects with `StreamError` UNAVAILABLE when it is not read in time. */
  async at(eventId: number, version: number): Promise<KnownMatch> {
    const find = () => {
      const known = this.latest(eventId);
      return known !== null && known.version >= version ? known : undefined;
    };
    const options = { timeoutMs: STATE_TIMEOUT_MS, everyMs: POLL_MS };
    const found = find() ?? (await poll(async () => find(), options));
    if (found === undefined)
      throw new StreamError(
        'UNAVAILABLE',
        `match-state of event ${eventId} has not reached version ${version}`,
      );
    return found;
  }

  /** Applies the next state of a match; null for a deleted one. */
  apply(eventId: number, state: MatchState | null): void {
    if (state === null) {
      this.#matches.delete(eventId);
      return;
    }
    const { version, cause, guard, name, competition_id, home, away, score, status_type, key_incidents } =
      nextState(this.latest(eventId), state);
    this.#matches.set(eventId, {
      version,
      cause,
      guard,
      name,
      competition_id,
      home,
      away,
      score,
      status_type,
      key_incidents,
    });
  }
}
