import { sideOf } from '#domain/goal-facts.ts';
import { goalKindOf, halfScores } from '#domain/match-result.ts';
import { progressOf } from '#domain/message-key.ts';
import { hasResult } from '#domain/result.ts';
import type { Score } from '#records/types.ts';
import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import type { ScoringIncident, ShownState } from '#views/store/board-view.ts';
import type { BoardView } from '#views/store/views.ts';
import type { BoardGoal, BoardMatch } from './match.ts';

/** What decides about goals and cards. */
export type GoalsView = { readonly incidentLog: Pick<BoardView['incidentLog'], 'scoring' | 'yellowCards'> };

/**
 * Returns the goals that count, the score at half-time and the cards that stand. Who and when is in match state, but for yellow cards;
 * the incidents decide the side of a goal and its half.
 */
export function goalsAndCards(
  state: ShownState,
  { incidentLog }: GoalsView,
): Pick<BoardMatch, 'goals' | 'half_time' | 'red_cards' | 'yellow_cards'> {
  const { event_id, counting_goals, key_incidents, home, away } = state;
  const red = key_incidents.filter(
    ({ incident_type, stands }) => incident_type === INCIDENT.redCard && stands,
  );
  const known: ReadonlyMap<string, ScoringIncident> =
    counting_goals.length === 0 ? new Map() : incidentLog.scoring(event_id, counting_goals);
  const yellow = incidentLog.yellowCards(event_id);
  const ofSides = (count: (teamId: number) => number): Score => ({
    home: home === null ? 0 : count(home.id),
    away: away === null ? 0 : count(away.id),
  });
  return {
    goals: goalsOf(state, known),
    half_time: halfTimeOf(state, known),
    red_cards: ofSides((id) => red.filter(({ team_id }) => team_id === id).length),
    yellow_cards: ofSides((id) => yellow.get(id) ?? 0),
  };
}

/** Returns the goals that count, in the order of their ids. Of an awarded match these are the goals that were played. */
function goalsOf(state: ShownState, known: ReadonlyMap<string, ScoringIncident>): BoardGoal[] {
  const { counting_goals, key_incidents } = state;
  const keys = new Map(key_incidents.map((key) => [key.id, key]));
  return counting_goals.flatMap((id) => {
    const key = keys.get(id);
    if (key === undefined) return [];
    const { incident_type, team_id, player_name: player, minute } = key;
    const scoring = known.get(id) ?? {
      incident_id: incident_type,
      participant_id: team_id,
      // Not received yet: the usual side of its type.
      counts_for: null,
    };
    const side = sideOf(scoring, state);
    return side === null ? [] : [{ side, player, minute, kind: goalKindOf(incident_type) }];
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
