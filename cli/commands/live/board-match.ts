import type { MatchState } from '#topics/generated/types.ts';
import type { Belief } from '#tradability/belief.ts';
import { boardMatch } from '../../../services/api/board/board-match.ts';
import type { BoardMatch } from '../../../services/api/board/shown/match.ts';

const NO_PLACE = { competition: null, season: null, stage: null, group: null };

/** A match as the live board knows it, at `now`, Unix milliseconds. */
export function boardMatchOf(state: Omit<MatchState, 'fields'>, feed: Belief, now: number): BoardMatch {
  const view = { place: () => NO_PLACE, matchHealth: () => feed, incidents: () => [] };
  return boardMatch({ ...state, extra_time: null }, view, now / 1000);
}
