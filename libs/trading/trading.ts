/** Joins the guard of match state, feed health and halts by hand: the only rule of what may be traded. Reads no clock. */
import type { FeedStatus } from './feed-status.ts';
import { type HandHalts, MAX_UNREAD_MS } from './halts.ts';

/** Whether trading may act on the score of a match. `not_in_play`: the match is over or has not begun. */
export type Permission = 'safe' | 'halted' | 'not_in_play';

/** The fields of match state that the rule reads. */
type TradedMatch = {
  /** The provider's status type: scheduled, live, interrupted, finished, cancelled, deleted; null is unknown. */
  readonly status_type: string | null;
  /** The score without goals that await confirmation; null is unknown. */
  readonly firm: unknown;
  readonly guard: { readonly safe: boolean; readonly reasons: readonly string[] };
};

/** A permission with its reasons. */
export type Trading = {
  readonly permission: Permission;
  /**
   * The reasons why trading is halted, else empty: those of match state; `unknown_match`: the match has no state; `unknown_score`:
   * it has no firm score; `unsafe`: its guard gives no reason; `version_went_back`: as of `nextState`; `halted_by_hand`: an operator
   * halted it; `halts_unread`: the caller may not know of such a halt; `feed_<state>`: the feed is not good, e.g. `feed_stale`,
   * `feed_delayed`; the caller's doubts.
   */
  readonly reasons: readonly string[];
};

const OVER: ReadonlySet<string | null> = new Set(['finished', 'cancelled', 'deleted']);

/** Whether a match of this status type is over, or does not take place: nothing is traded on it. */
export function isOver(statusType: string | null): boolean {
  return OVER.has(statusType);
}

/** Time without a message after which a match is no longer in play, whatever its status, milliseconds. */
export const ABANDONED_MS = 6 * 3_600_000;

/** Decides what may be traded on a match, null without state. `halts`: by hand. `doubts`: against the caller's own state. */
export function tradingOf(
  match: TradedMatch | null,
  { believed, state }: Pick<FeedStatus, 'believed' | 'state'>,
  { isRead, standing }: Pick<HandHalts, 'isRead'> & { readonly standing: readonly unknown[] },
  doubts: readonly string[] = [],
): Trading {
  if (match !== null && isOver(match.status_type)) return { permission: 'not_in_play', reasons: [] };
  const reasons = match === null ? ['unknown_match'] : [...match.guard.reasons];
  if (match !== null && !match.guard.safe && reasons.length === 0) reasons.push('unsafe');
  // Before the kick-off there is no score to act on.
  const isScheduled = match?.status_type === 'scheduled';
  if (match !== null && match.firm === null && !isScheduled) reasons.push('unknown_score');
  if (standing.length > 0) reasons.push('halted_by_hand');
  if (!isRead) reasons.push('halts_unread');
  reasons.push(...doubts);
  if (!believed && !isScheduled) reasons.push(`feed_${state}`);
  if (reasons.length > 0) return { permission: 'halted', reasons };
  return { permission: isScheduled ? 'not_in_play' : 'safe', reasons };
}

/** A match's version, and the offset of the message in normalized-messages that made it. Of a match, a later message makes a later version. */
export type VersionStamp = { readonly version: number; readonly cause: { readonly offset: number } };

/** The fields of match state that `nextState` reads. */
type VersionedState = VersionStamp & Pick<TradedMatch, 'guard'>;

/** The reason of a guard that a reader closes, as the version of the match went back. */
export const WENT_BACK = 'version_went_back';

/** Whether a later or the same message made an earlier version than known: state was lost. Of an earlier message it was only read again. */
export function wentBack(known: VersionStamp, next: VersionStamp): boolean {
  return next.version < known.version && next.cause.offset >= known.cause.offset;
}

/**
 * Returns the state of a match to hold once `next` was read: `next` if it is newer, else `known`. Where the version went back, returns
 * `known` with a closed guard, which stays until a state comes that is not earlier. `known`: null before the first state.
 */
export function nextState<Known extends VersionedState, Next extends VersionedState>(
  known: Known | null,
  next: Next,
): Known | Next {
  if (known === null || next.version > known.version) return next;
  const isInDoubt = known.guard.reasons.includes(WENT_BACK);
  if (next.version === known.version)
    return isInDoubt || next.cause.offset > known.cause.offset ? next : known;
  return isInDoubt || !wentBack(known, next) ? known : inDoubt(known);
}

/** Returns a state with its guard closed, as its version went back. */
export function inDoubt<S extends VersionedState>(state: S): S {
  return { ...state, guard: { safe: false, reasons: [...state.guard.reasons, WENT_BACK] } };
}

/** Interval at which a reader checks that it has read to the end: one or two slow answers must not cause doubts, milliseconds. */
export const FRESHNESS_POLL_MS = 100;

/**
 * How fresh a reader's state of a match is. `changed`: the newest version of which a change was read; `readAt`: when the partition of
 * the state was last read to its end, by the steady clock, milliseconds.
 */
type StateFreshness = Readonly<Record<'version' | 'changed' | 'readAt' | 'now', number>>;

/** Returns the doubts of a reader: `behind`: it read a change of a newer version; `states_unread`: it no longer reads the partition. */
export function doubtsOf({ version, changed, readAt, now }: StateFreshness): string[] {
  return [
    ...(changed > version ? ['behind'] : []),
    ...(now - readAt > MAX_UNREAD_MS ? ['states_unread'] : []),
  ];
}
