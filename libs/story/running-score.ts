import { GOAL_TYPES, isInShootOut } from '#domain/goal-facts.ts';
import { scoresAfter } from '#domain/goals.ts';
import type { Score } from '#records/types.ts';
import type { ShownIncident, ShownState } from '#views/store/board-view.ts';

/** The score after a goal: of the match, or of its shoot-out, which has its own. */
export type RunningScore = { readonly score: Score; readonly isOfShootOut: boolean };

/**
 * Returns the score after each goal that counts, by incident id. Empty when the score is not derived from the incidents.
 * `incidents`: in the provider's order.
 */
export function runningScores(
  state: Pick<ShownState, 'source' | 'counting_goals' | 'void_goals' | 'home' | 'away'>,
  incidents: readonly ShownIncident[],
): ReadonlyMap<string, RunningScore> {
  if (state.source !== 'incidents') return new Map();
  const scoring = new Map(
    incidents.map(({ id, incident_id, participant_id, record }) => [
      id,
      { incident_id, participant_id, counts_for: typeof record.for === 'string' ? record.for : null },
    ]),
  );
  // Match state does not list the kicks of a shoot-out, as they do not change the score.
  const kicks = incidents.filter(
    (incident) =>
      GOAL_TYPES.has(incident.incident_id) && isInShootOut(incident) && !(incident.id in state.void_goals),
  );
  const played = scoresAfter(state.counting_goals, scoring, state);
  const kicked = scoresAfter(
    kicks.map(({ id }) => id),
    scoring,
    state,
  );
  return new Map<string, RunningScore>([
    ...Array.from(played, ([id, score]) => [id, { score, isOfShootOut: false }] as const),
    ...Array.from(kicked, ([id, score]) => [id, { score, isOfShootOut: true }] as const),
  ]);
}
