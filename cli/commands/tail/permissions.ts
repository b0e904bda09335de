/** The trading permission now of the matches that `touchline tail match-state` shows; a record shows a past one. */
import type { MatchState } from '#topics/generated/types.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { tradingOf } from '#tradability/trading.ts';

/** The newest states that were shown, and the last said permission of each. */
export class Permissions {
  readonly #states = new Map<number, MatchState>();
  readonly #said = new Map<number, string>();

  /** A state was shown; null: its match is gone. */
  show(eventId: number, state: MatchState | null): void {
    if (state === null) this.#states.delete(eventId);
    else this.#states.set(eventId, state);
  }

  /** The matches whose permission is another than was said last, each with its words; `doubts` as `tradingOf` takes them. */
  changes(
    feedOf: (eventId: number) => FeedStatus,
    doubts: readonly string[] = [],
  ): (readonly [eventId: number, words: string])[] {
    return [...this.#states].flatMap(([eventId, state]) => {
      const { permission, reasons } = tradingOf(state, feedOf(eventId), doubts);
      const words = permission === 'halted' ? `halted: ${reasons.join(', ')}` : WORDS[permission];
      const before = this.#said.get(eventId);
      if (words === before) return [];
      this.#said.set(eventId, words);
      // A match that was over when it was first shown prints nothing.
      return before === undefined && permission === 'not_in_play'
        ? []
        : [[eventId, `TRADING ${words}`] as const];
    });
  }
}

const WORDS = { safe: 'safe', not_in_play: 'not in play' } as const;
