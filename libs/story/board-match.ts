import { hasRulesOfGoals } from '#domain/sports/table.ts';
import type { TradingHalt } from '#records/types.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { HandHalts } from '#tradability/halts.ts';
import { tradingOf } from '#tradability/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { shownFeed } from './feed-words.ts';
import { type GoalsView, goalsAndCards } from './goals-and-cards.ts';
import { type BoardMatch, type BoardSide, SHOWN_FIELDS } from './match.ts';

type BoardMatchView = GoalsView &
  Pick<BoardView, 'levelNames' | 'matchHealth'> & { readonly halts: Pick<BoardView['halts'], 'standing'> } & {
    readonly incidentLog: Pick<BoardView['incidentLog'], 'guardClosedAt'>;
  };

/** Returns what the board shows of a match. `now`: Unix seconds. */
export function boardMatch(state: ShownState, view: BoardMatchView, now: number): BoardMatch {
  const health = view.matchHealth(state.event_id, now * 1000);
  const halts = view.halts.standing(now * 1000, state);
  const shown = Object.fromEntries(SHOWN_FIELDS.map((field) => [field, state[field]]));
  return {
    ...(shown as Pick<ShownState, (typeof SHOWN_FIELDS)[number]>),
    status_words: statusWordsOf(state),
    home: sideOf(state.home),
    away: sideOf(state.away),
    ...goalsAndCards(state, view),
    feed: shownFeed(health),
    halted_since: haltedSince(state, health, halts, view),
    halts: shownHalts(halts),
    levels: view.levelNames(state),
    ut: state.cause.ut,
    received_at: state.cause.received_at,
  };
}

/** Returns since when guard, feed or a hand halt a match, Unix milliseconds; null of one that is not halted, and where it is not known. */
function haltedSince(
  state: ShownState,
  health: FeedStatus,
  halts: HandHalts<TradingHalt>,
  { incidentLog }: BoardMatchView,
): number | null {
  if (tradingOf(state, health, halts).permission !== 'halted') return null;
  const since = [
    state.guard.safe ? null : incidentLog.guardClosedAt(state.event_id),
    health.believed ? null : health.since,
    ...halts.standing.map(({ orders }) => orders.at(-1)?.order.at ?? null),
  ].filter((at) => at !== null);
  return since.length === 0 ? null : Math.min(...since);
}

/** Returns halts as they are shown. */
function shownHalts({ isRead, standing }: HandHalts<TradingHalt>): BoardMatch['halts'] {
  return {
    isRead,
    standing: standing.flatMap(({ scope, until, orders }) => {
      const last = orders.at(-1)?.order;
      return last === undefined ? [] : [{ scope, user: last.user, reason: last.reason, at: last.at, until }];
    }),
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
