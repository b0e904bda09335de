import { machineClock } from '#timing/clock.ts';
import type { Now } from '#trading/feed-status.ts';
import type { Trading } from '#trading/trading.ts';
import { machineNow } from './followed-topics.ts';
import { printLineAndDrain } from './terminal.ts';
import { escapeLine } from './values.ts';

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

/** Interval between two checks whether trading permissions have changed. */
const INTERVAL_MS = 100;

/** The matches whose permissions are printed, as of `MatchReader`. */
type TradedMatches = {
  eventIds(): Iterable<number>;
  guard(eventId: number, now: Now): Trading;
};

/** Prints changes of trading permissions, even without new records, until `signal`. */
export async function printPermissions(matches: TradedMatches, signal: AbortSignal): Promise<void> {
  const permissions = new TradingPermissions();
  while (!signal.aborted) {
    const now = machineNow();
    for (const eventId of matches.eventIds()) {
      const words = permissions.change(eventId, matches.guard(eventId, now));
      if (words !== null)
        await printLineAndDrain(escapeLine(`${new Date().toISOString()}  ${eventId}  ${words}`));
    }
    await machineClock.sleep(INTERVAL_MS, signal);
  }
}
