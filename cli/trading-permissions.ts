import type { Trading } from '#trading/trading.ts';

/** Reports changes of the trading permission of shown matches. A record of match-state has the guard of the past only. */
export class TradingPermissions {
  readonly #reported = new Map<number, string>();

  /** Returns the text of what may be traded on a match; null if it is the last reported one. */
  change(eventId: number, { permission, reasons }: Trading): string | null {
    const words = permission === 'halted' ? `halted: ${reasons.join(', ')}` : WORDS[permission];
    const before = this.#reported.get(eventId);
    if (words === before) return null;
    this.#reported.set(eventId, words);
    // A match that was over from the start is not reported.
    return before === undefined && permission === 'not_in_play' ? null : `TRADING ${words}`;
  }
}

const WORDS = { safe: 'safe', not_in_play: 'not in play' } as const;
