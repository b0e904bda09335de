import { hasRulesOfGoals } from '#domain/sports/table.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { shownFeed } from './feed-words.ts';
import { type GoalsView, goalsAndCards } from './goals-and-cards.ts';
import { type BoardMatch, type BoardSide, SHOWN_FIELDS } from './match.ts';

/** Returns what the board shows of a match. `now`: Unix seconds. */
export function boardMatch(
  state: ShownState,
  view: GoalsView & Pick<BoardView, 'levelNames' | 'matchHealth'>,
  now: number,
): BoardMatch {
  const shown = Object.fromEntries(SHOWN_FIELDS.map((field) => [field, state[field]]));
  return {
    ...(shown as Pick<ShownState, (typeof SHOWN_FIELDS)[number]>),
    status_words: statusWordsOf(state),
    home: sideOf(state.home),
    away: sideOf(state.away),
    ...goalsAndCards(state, view),
    feed: shownFeed(view.matchHealth(state.event_id, now * 1000)),
    levels: view.levelNames(state),
    ut: state.cause.ut,
    received_at: state.cause.received_at,
  };
}

/**
 * Returns the words of a status in a sport without rules of goals: the provider's, with the catalogue's short form where both name it
 * alike. Null in soccer, and for a status without a name.
 */
export function statusWordsOf({ sport_id, status_id, status_name }: ShownState): BoardMatch['status_words'] {
  if (hasRulesOfGoals(sport_id) || status_id === null) return null;
  const known = STATUSES.get(status_id);
  const name = status_name ?? known?.name ?? null;
  return name === null ? null : { name, short: known?.name === name ? known.shortName : name };
}

function sideOf(side: ShownState['home']): BoardSide {
  return { name: side?.name ?? null, short_name: side?.short_name ?? null, acronym: side?.acronym ?? null };
}
