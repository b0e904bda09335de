import { sideOf } from '#domain/goals.ts';
import { goalKindOf, halfScores } from '#domain/match-result.ts';
import { hasResult, progressOf } from '#domain/message-key.ts';
import { hasRulesOfGoals } from '#domain/sports/goal-rules.ts';
import type { Score, TradingHalt } from '#records/types.ts';
import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import type { HandHalts } from '#trading/halts.ts';
import { tradingOf } from '#trading/trading.ts';
import type { ScoringIncident, ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import { shownFeed } from './feed-words.ts';
import { type BoardGoal, type BoardMatch, type BoardSide, SHOWN_FIELDS } from './match.ts';

type BoardMatchView = Pick<BoardView, 'levelNames' | 'matchHealth'> & {
  readonly halts: Pick<BoardView['halts'], 'standing'>;
  readonly incidentLog: Pick<BoardView['incidentLog'], 'guardClosedAt' | 'scoring' | 'yellowCards'>;
};

/** Returns what the board shows of a match. `now`: Unix seconds. */
export function boardMatch(state: ShownState, view: BoardMatchView, now: number): BoardMatch {
  const health = view.matchHealth(state.event_id, now * 1000);
  const halts = view.halts.standing(now * 1000, state);
  const shown = Object.fromEntries(SHOWN_FIELDS.map((field) => [field, state[field]]));
  return {
    ...(shown as Pick<ShownState, (typeof SHOWN_FIELDS)[number]>),
    status_words: statusWordsOf(state),
    home: boardSide(state.home),
    away: boardSide(state.away),
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

function shownHalts({ isRead, standing }: HandHalts<TradingHalt>): BoardMatch['halts'] {
  return {
    isRead,
    standing: standing.flatMap(({ scope, until, orders }) => {
      const last = orders.at(-1)?.order;
      return last === undefined ? [] : [{ scope, user: last.user, reason: last.reason, at: last.at, until }];
    }),
  };
}

/** Returns the words of a status in a sport without rules of goals: the provider's, and the catalogue's short form. Null in soccer. */
export function statusWordsOf({ sport_id, status_id, status_name }: ShownState): BoardMatch['status_words'] {
  if (hasRulesOfGoals(sport_id) || status_id === null) return null;
  const known = STATUSES.get(status_id);
  const name = status_name ?? known?.name ?? null;
  return name === null ? null : { name, short: known?.name === name ? known.shortName : name };
}

function boardSide(side: ShownState['home']): BoardSide {
  const { name = null, short_name = null, acronym = null } = side ?? {};
  return { name, short_name, acronym };
}

/** Returns the goals that count, the score at half-time and the cards that stand: of match state, sides and halves of the incidents. */
function goalsAndCards(state: ShownState, { incidentLog }: BoardMatchView) {
  const { event_id, counting_goals, key_incidents, home, away } = state;
  const known: ReadonlyMap<string, ScoringIncident> =
    counting_goals.length === 0 ? new Map() : incidentLog.scoring(event_id, counting_goals);
  const red = Map.groupBy(
    key_incidents.filter(({ incident_type, stands }) => incident_type === INCIDENT.redCard && stands),
    ({ team_id }) => team_id,
  );
  const yellow = incidentLog.yellowCards(event_id);
  const ofSides = (count: (teamId: number) => number | undefined): Score => ({
    home: (home && count(home.id)) ?? 0,
    away: (away && count(away.id)) ?? 0,
  });
  return {
    goals: goalsOf(state, known),
    half_time: halfTimeOf(state, known),
    red_cards: ofSides((id) => red.get(id)?.length),
    yellow_cards: ofSides((id) => yellow.get(id)),
  };
}

/** Returns the goals that count, in the order of their ids. Of an awarded match these are the goals that were played. */
function goalsOf(state: ShownState, known: ReadonlyMap<string, ScoringIncident>): BoardGoal[] {
  const keys = new Map(state.key_incidents.map((key) => [key.id, key]));
  return state.counting_goals.flatMap((id) => {
    const key = keys.get(id);
    if (key === undefined) return [];
    const { incident_type: incident_id, team_id: participant_id, player_name: player, minute } = key;
    // Not received yet: the usual side of its type.
    const side = sideOf(known.get(id) ?? { incident_id, participant_id, counts_for: null }, state);
    return side === null ? [] : [{ side, player, minute, kind: goalKindOf(incident_id) }];
  });
}

/** Returns the score at half-time once the first half is over; null until then, and where the goals do not tell it. */
function halfTimeOf(state: ShownState, known: ReadonlyMap<string, ScoringIncident>): Score | null {
  const { status_id, status_type, counting_goals } = state;
  const isOver = progressOf(status_id, status_type) > progressOf(STATUS.halftime, null);
  if (!isOver || !(status_type === 'live' || hasResult(status_id, status_type))) return null;
  const counting = counting_goals.flatMap((id) => known.get(id) ?? []);
  if (counting.length < counting_goals.length) return null;
  return halfScores(state, counting, state)?.first ?? null;
}
