/** Finds the incident that took a goal back. */

import { namedGoals } from '#domain/cancellation.ts';
import { isCancellation, isGoal, type KnownIncident } from '#domain/goal-facts.ts';
import { compareIds } from '#domain/incident-register.ts';
import type { MatchChange } from '#views/queries/tool-queries.ts';
import type { ShownIncident } from '#views/store/board-view.ts';
import { classOf } from '#views/store/changes.ts';

/**
 * Returns the incident that took back the goal of a change: the one that names it now (law 6). If none does any more, a
 * cancellation of the change's version that has the goal as its parent, or is the only one for the only goal. Undefined
 * if several came at once and have since been taken back themselves.
 */
export function cancellingIncident(
  { own, steps, match }: MatchChange,
  goal: ShownIncident,
): ShownIncident | undefined {
  const { home, away } = match.state;
  const register = match.incidents.map(knownOf).sort((a, b) => compareIds(a.id, b.id));
  const goals = register.filter(({ incident }) => isGoal(incident));
  const cancellations = register.filter(({ incident }) => isCancellation(incident));
  const inVersion = new Set(idsOf(steps.filter((step) => classOf(step) === 'cancellation')));
  const naming = namedGoals(goals, cancellations, { home, away }).get(goal.id) ?? [];
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

function knownOf(
  shown: ShownIncident,
): KnownIncident & { readonly incident: NonNullable<KnownIncident['incident']> } {
  const { id, removed, record } = shown;
  const { ut, incident_id, participant_id, confirmation, event_status_id, event_time, parent_id } = shown;
  const counts_for = typeof record.for === 'string' ? record.for : null;
  const incident = {
    id,
    ut,
    incident_id,
    participant_id,
    counts_for,
    confirmation,
    event_status_id,
    event_time,
    parent_id,
    // No rule reads the body.
    body: '',
    message_id: null,
  };
  return { id, removed, missing: false, incident };
}
