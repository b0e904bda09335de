/** Which transitions are the story of a match, for views and for what reads the topic itself. */

import { GOAL_TYPES } from '#domain/goals.ts';
import type { MatchTransition } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS } from '#soccer/soccer.ts';

/** The subject class of a step. `cancellation`: an incident that cancels goals, as an incident. */
export type StepClass = 'taken_back' | 'goal' | 'cancellation' | 'score' | 'incident' | 'status' | 'guard';

type StepSubject = Pick<MatchTransition, 'kind' | 'incident_id' | 'incident_type'>;

/** Classes of the kinds of transitions that belong to the story of a match, whatever their incident. */
const CLASS_BY_KIND: ReadonlyMap<string, StepClass> = new Map([
  ['goal_cancelled', 'taken_back'],
  ['goal_reinstated', 'goal'],
  ['score_changed', 'score'],
  ['firm_score_changed', 'score'],
  ['status_changed', 'status'],
  ['absence_changed', 'status'],
  ['result_verified', 'status'],
  ['bet_status_changed', 'guard'],
  ['guard_changed', 'guard'],
  ['message_unread', 'guard'],
]);

export function classOf({ kind, incident_type }: StepSubject): StepClass {
  const known = CLASS_BY_KIND.get(kind);
  if (known !== undefined) return known;
  if (incident_type === INCIDENT.goalCancelled) return 'cancellation';
  return incident_type !== null && GOAL_TYPES.has(incident_type) ? 'goal' : 'incident';
}

/** Returns the subject of a step: its incident's id, `score`, or its kind. Steps of one version and subject are one change. */
export function subjectOf(step: StepSubject): string {
  return classOf(step) === 'score' ? 'score' : (step.incident_id ?? step.kind);
}

/** Returns the goals of a version that stopped counting for one team and began to count for the other (law 9a). */
export function movedGoals(
  steps: readonly (Pick<MatchTransition, 'kind' | 'incident_id'> & { readonly goals: readonly string[] })[],
): ReadonlySet<string> {
  const begun = new Set(steps.flatMap(({ goals }) => goals));
  return new Set(
    steps.flatMap(({ kind, incident_id: id }) =>
      kind === 'goal_cancelled' && id !== null && begun.has(id) ? [id] : [],
    ),
  );
}

/** Whether a transition belongs to the story of its match: that of an important incident, or of one of these kinds. */
export function isStoryStep({ kind, incident_type: type }: StepSubject): boolean {
  if (CLASS_BY_KIND.has(kind)) return true;
  if (type === null || !kind.startsWith('incident_')) return false;
  return INCIDENT_TYPES_OF_SOCCER.get(type)?.important === true || POSSIBLE_INCIDENTS.has(type);
}
