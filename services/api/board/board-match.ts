import { formatDate } from '#contract/rest/parameters.ts';
import { hasRulesOfGoals } from '#domain/sports/table.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { goalsAndCards } from './goals-and-cards.ts';
import type { ReadView } from './scoped-view.ts';
import type { BoardSource } from './shown/feed.ts';
import { type BoardMatch, type BoardSide, SHOWN_FIELDS } from './shown/match.ts';

/** Returns what the board shows of a match. `now`: Unix seconds. */
export function boardMatch(
  state: ShownState,
  view: Pick<BoardView, 'place' | 'matchHealth' | 'scoringIncidents' | 'yellowCards'>,
  now: number,
): BoardMatch {
  const { believed, state: health, reason } = view.matchHealth(state.event_id, now * 1000);
  const shown = Object.fromEntries(SHOWN_FIELDS.map((field) => [field, state[field]]));
  return {
    ...(shown as Pick<ShownState, (typeof SHOWN_FIELDS)[number]>),
    status_words: statusWordsOf(state),
    home: sideOf(state.home),
    away: sideOf(state.away),
    ...goalsAndCards(state, view),
    feed: { believed, state: health, reason },
    place: view.place(state),
    ut: state.cause.ut,
    received_at: state.cause.received_at,
  };
}

/** Returns the words of a status in a sport without rules of goals; null in soccer, and for an unknown status. */
export function statusWordsOf({ sport_id, status_id }: ShownState): BoardMatch['status_words'] {
  const status = hasRulesOfGoals(sport_id) || status_id === null ? undefined : STATUSES.get(status_id);
  return status === undefined ? null : { name: status.name, short: status.shortName };
}

/** Returns what the board shows of the sources. `now`: Unix seconds. */
export function boardSources(view: Pick<BoardView, 'sourceHealth'>, now: number): BoardSource[] {
  return view
    .sourceHealth(now * 1000)
    .map(({ source, believed, state, reason }) => ({ source, believed, state, reason }));
}

/** The share of the board for matches that begin next, where so many are not live. */
const UPCOMING_SHARE = 1 / 4;
const DAY_SECONDS = 86_400;

/**
 * Returns the matches on the board: all live ones, then those that begin next, in a quarter of its `size` at most, then the last
 * changed others while there are fewer than `size`. `now`: Unix seconds.
 */
export function boardStates(view: ReadView, size: number, now: number): ShownState[] {
  const states = new Map(view.liveStates().map((state) => [state.event_id, state]));
  // Kick-offs have no time zone: one of an hour ago may be in an hour.
  const from = formatDate(now - DAY_SECONDS);
  const room = Math.max(0, size - states.size);
  const next = view.upcomingStates(from, Math.min(room, Math.ceil(size * UPCOMING_SHARE)));
  for (const state of next) states.set(state.event_id, state);
  for (const state of view.recentStates(size)) {
    if (states.size >= size) break;
    states.set(state.event_id, state);
  }
  return [...states.values()];
}

function sideOf(side: ShownState['home']): BoardSide {
  return { name: side?.name ?? null, short_name: side?.short_name ?? null, acronym: side?.acronym ?? null };
}
