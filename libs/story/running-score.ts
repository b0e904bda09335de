import { GOAL_TYPES, isInShootOut } from '#domain/goal-facts.ts';
import { scoresAfter } from '#domain/goals.ts';
import { text } from '#domain/values.ts';
import type { Score } from '#records/types.ts';
import type { ShownIncident, ShownState } from '#views/store/board-view.ts';

/** Scores by the id of the goal that they are after: those of the match, and of its shoot-out, which has its own. */
export type RunningScores = {
  readonly played: ReadonlyMap<string, Score>;
  readonly kicked: ReadonlyMap<string, Score>;
};

/** Returns the score after each goal that counts; empty when the score is not derived. `incidents`: in the provider's order. */
export function runningScores(
  state: Pick<ShownState, 'source' | 'counting_goals' | 'void_goals' | 'home' | 'away'>,
  incidents: readonly ShownIncident[],
): RunningScores {
  if (state.source !== 'incidents') return { played: new Map(), kicked: new Map() };
  const scoring = new Map(
    incidents.map(({ id, incident_id, participant_id, record }) => [
      id,
      { incident_id, participant_id, counts_for: text(record.for) },
    ]),
  );
  // Match state does not list the kicks of a shoot-out, as they do not change the score.
  const kicks = incidents.filter(
    (incident) =>
      GOAL_TYPES.has(incident.incident_id) && isInShootOut(incident) && !(incident.id in state.void_goals),
  );
  const kickIds = kicks.map(({ id }) => id);
  return {
    played: scoresAfter(state.counting_goals, scoring, state),
    kicked: scoresAfter(kickIds, scoring, state),
  };
}
