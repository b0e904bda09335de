/** Finds the incident that took a goal back. */

import { cancellersOf } from '#story/incidents.ts';
import type { MatchChange } from '#views/queries/tool-queries.ts';
import type { ShownIncident } from '#views/store/board-view.ts';
import { classOf } from '#views/store/story-steps.ts';

/**
 * Returns the incident that took back the goal of a change: the 424 that names the goal now (law 6), one of the change's version
 * first. Where none names it any more, the version's cancellation whose parent is the goal; else its only cancellation, if the
 * goal is the only one that the version took back. Undefined where none of these is certain.
 */
export function cancellingIncident(
  { own, steps, match }: MatchChange,
  goal: ShownIncident,
): ShownIncident | undefined {
  const inVersion = new Set(idsOf(steps.filter((step) => classOf(step) === 'cancellation')));
  const naming = cancellersOf(goal.id, match.state);
  const incidentWith = (id: string | undefined) => match.incidents.find((one) => one.id === id);
  const named = naming.find((id) => inVersion.has(id)) ?? naming[0];
  if (named !== undefined) return incidentWith(named);
  const withParent = match.incidents.find((one) => inVersion.has(one.id) && one.parent_id === goal.id);
  if (withParent !== undefined) return withParent;
  const takenBack = new Set(idsOf(steps.filter(({ kind }) => kind === 'goal_cancelled')));
  const isOnly = inVersion.size === 1 && takenBack.size === 1 && takenBack.has(own[0]?.incident_id ?? '');
  return isOnly ? incidentWith([...inVersion][0]) : undefined;
}

function idsOf(steps: MatchChange['steps']): string[] {
  return steps.flatMap(({ incident_id }) => incident_id ?? []);
}
