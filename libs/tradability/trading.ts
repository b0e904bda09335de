/** The guard of match state and feed health joined: the one rule of what may be traded. No clock, no I/O, no import but `feed-status.ts`. */
import type { FeedStatus } from './feed-status.ts';

/**
 * Whether trading may act on the score of a match. `not_in_play`: there is nothing to permit or to halt, as the match is over or has
 * not begun.
 */
export type Permission = 'safe' | 'halted' | 'not_in_play';

/** The fields of match state that the rule reads. */
export type TradedMatch = {
  /** The provider's: scheduled, live, interrupted, finished, cancelled, deleted; null is unknown. */
  readonly status_type: string | null;
  /** The score without goals that await confirmation; null is unknown. */
  readonly firm: unknown;
  readonly guard: { readonly safe: boolean; readonly reasons: readonly string[] };
};

/** A permission with what it rests on. */
export type Trading = {
  readonly permission: Permission;
  /**
   * Why it is halted, else empty: the reasons of match state; `unknown_match`: there is no state of it; `unknown_score`: there is no
   * firm score; `unsafe`: match state gives no reason; `feed_<state>`: the feed is not good, e.g. `feed_stale`.
   */
  readonly reasons: readonly string[];
};

const OVER: ReadonlySet<string | null> = new Set(['finished', 'cancelled', 'deleted']);

/** Whether a match of this status is over, or does not take place: nothing is traded on it. */
export function isOver(statusType: string | null): boolean {
  return OVER.has(statusType);
}

/**
 * What may be traded on a match. `match`: null where there is no state of it; `doubts`: reasons of the caller's own against what it
 * knows, e.g. that its state is not the newest.
 */
export function tradingOf(
  match: TradedMatch | null,
  { believed, state }: Pick<FeedStatus, 'believed' | 'state'>,
  doubts: readonly string[] = [],
): Trading {
  if (match !== null && isOver(match.status_type)) return { permission: 'not_in_play', reasons: [] };
  const reasons = match === null ? ['unknown_match'] : [...match.guard.reasons];
  if (match !== null && !match.guard.safe && reasons.length === 0) reasons.push('unsafe');
  // Before the kick-off there is no score to act on.
  const begins = match?.status_type === 'scheduled';
  if (match !== null && match.firm === null && !begins) reasons.push('unknown_score');
  reasons.push(...doubts);
  if (!believed && !begins) reasons.push(`feed_${state}`);
  if (reasons.length > 0) return { permission: 'halted', reasons };
  return { permission: begins ? 'not_in_play' : 'safe', reasons };
}
