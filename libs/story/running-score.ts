import { GOAL_TYPES } from '#domain/goal-facts.ts';
import { scoresAfter } from '#domain/goals.ts';
import type { ShownIncident, ShownState } from '#views/store/board-view.ts';
import { isShootOut, scoreWords } from './words.ts';

/**
 * Returns the score after each goal that counts, e.g. `1–0`, by incident id; kicks of a shoot-out have their own score. Empty when
 * the score is not derived from the incidents. `incidents`: in the provider's order.
 */
export function runningScores(
  state: ShownState,
  incidents: readonly ShownIncident[],
): ReadonlyMap<string, string> {
  if (state.source !== 'incidents') return new Map();
  const scoring = new Map(
    incidents.map(({ id, incident_id, participant_id, record }) => [
      id,
      { incident_id, participant_id, counts_for: typeof record.for === 'string' ? record.for : null },
    ]),
  );
  // Match state does not list the kicks of a shoot-out, as they do not change the score.
  const kicks = incidents.filter(
    ({ id, incident_id, event_status_id }) =>
      GOAL_TYPES.has(incident_id) && isShootOut(event_status_id) && !(id in state.void_goals),
  );
  const played = scoresAfter(state.counting_goals, scoring, state);
  const kicked = scoresAfter(
    kicks.map(({ id }) => id),
    scoring,
    state,
  );
  return new Map([
    ...Array.from(played, ([id, score]) => [id, scoreWords(score)] as const),
    ...Array.from(kicked, ([id, score]) => [id, `${scoreWords(score)} pens`] as const),
  ]);
}
