/** What is on the board: which matches, and the sources of the feed. */
import { formatDate } from '#contract/rest/parameters.ts';
import { shownFeed } from '#story/feed-words.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import type { BoardSource } from './feed-head.ts';
import type { ReadView } from './scoped-view.ts';

/** Returns what the board shows of the sources. `now`: Unix seconds. */
export function boardSources(view: Pick<BoardView, 'health'>, now: number): BoardSource[] {
  return view.health.sources(now * 1000).map((status) => ({ source: status.source, ...shownFeed(status) }));
}

/** The largest share of the board for matches that begin next. */
const UPCOMING_SHARE = 1 / 4;
const DAY_SECONDS = 86_400;

/** Returns the earliest kick-off of an upcoming match: one that has not begun within a day of it is not upcoming. */
export function earliestKickOff(now: number): string {
  return formatDate(now - DAY_SECONDS);
}

/**
 * Returns the matches on the board: all live ones, those that begin next, and the most recently changed others up to `size`.
 * `now`: Unix seconds.
 */
export function boardStates(view: ReadView, size: number, now: number): ShownState[] {
  const states = new Map(view.matches.live(now).map((state) => [state.event_id, state]));
  const room = Math.max(0, size - states.size);
  const next = view.matches.upcoming(earliestKickOff(now), Math.min(room, Math.ceil(size * UPCOMING_SHARE)));
  for (const state of next) states.set(state.event_id, state);
  for (const state of view.matches.recent(size)) {
    if (states.size >= size) break;
    states.set(state.event_id, state);
  }
  return [...states.values()];
}
