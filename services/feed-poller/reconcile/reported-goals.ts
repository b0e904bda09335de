import { isGoal } from '#domain/goal-facts.ts';
import { hasRulesOfGoals } from '#domain/sports/table.ts';
import { toWholeNumber } from '#json/values.ts';
import type { Incident } from '#records/types.ts';
import { RESULT } from '#soccer/soccer.ts';
import type { Raw } from '../provider/tree.ts';

/**
 * Returns the goals of both sides by the provider's result of an event; an unknown result has none, and neither has a sport without
 * rules of goals: its points are no incidents that a list must have.
 */
export function reportedGoals({ participants, sport_id }: Raw): number {
  if (!hasRulesOfGoals(toWholeNumber(sport_id))) return 0;
  let goals = 0;
  for (const side of records(participants))
    for (const { id, value } of records(side.results))
      if (toWholeNumber(id) === RESULT.score) goals += toWholeNumber(value) ?? 0;
  return goals;
}

/** Returns the number of goals of a list that are not cancelled. */
export function listedGoals(incidents: readonly Incident[]): number {
  return incidents.filter((one) => isGoal(one) && one.confirmation !== 'cancelled').length;
}

/** Returns the records of a list, which some servers write as an object. */
function records(list: unknown): Raw[] {
  if (typeof list !== 'object' || list === null) return [];
  return Object.values(list).filter((one) => typeof one === 'object' && one !== null);
}
