import type { MatchState } from '#records/types.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { HaltedMatch, HandHalts } from '#tradability/halts.ts';
import { nextState, tradingOf } from '#tradability/trading.ts';

/** Reports changes of the trading permission of shown matches. A record of match-state has the guard of the past only. */
export class TradingPermissions {
  readonly #states = new Map<number, MatchState>();
  readonly #reported = new Map<number, string>();

  /** Adds the newest state of a match; null removes the match. */
  apply(eventId: number, state: MatchState | null): void {
    if (state === null) this.#states.delete(eventId);
    else this.#states.set(eventId, nextState(this.#states.get(eventId) ?? null, state));
  }

  /** Returns the matches whose permission differs from the last reported one, each with a text. `doubtsAbout`: as for `tradingOf`. */
  changes(
    feedOf: (eventId: number) => FeedStatus,
    haltsOf: (match: HaltedMatch) => HandHalts,
    doubtsAbout: (eventId: number) => readonly string[] = () => [],
  ): (readonly [eventId: number, words: string])[] {
    return [...this.#states].flatMap(([eventId, state]) => {
      const { permission, reasons } = tradingOf(state, feedOf(eventId), haltsOf(state), doubtsAbout(eventId));
      const words = permission === 'halted' ? `halted: ${reasons.join(', ')}` : WORDS[permission];
      const before = this.#reported.get(eventId);
      if (words === before) return [];
      this.#reported.set(eventId, words);
      // A match that was over from the start is not reported.
      return before === undefined && permission === 'not_in_play'
        ? []
        : [[eventId, `TRADING ${words}`] as const];
    });
  }
}

const WORDS = { safe: 'safe', not_in_play: 'not in play' } as const;
