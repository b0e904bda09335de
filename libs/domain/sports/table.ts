/** The table of the sports that have rules of goals. */
import { SOCCER } from '#soccer/soccer.ts';
import type { GoalRules } from './goal-rules.ts';
import { SOCCER_GOALS } from './soccer.ts';

/** The sports whose goals are derived, by id. In every other sport the score is the provider's result, and no type has a meaning. */
export const GOAL_RULES: ReadonlyMap<number, GoalRules> = new Map([[SOCCER, SOCCER_GOALS]]);

/** Whether the laws of goals apply to a sport. An unknown one counts as soccer: types belong to one sport. */
export function hasRulesOfGoals(sportId: number | null): boolean {
  return GOAL_RULES.has(sportId ?? SOCCER);
}

/** Returns the types of one kind in all sports. */
export function typesOf(
  kind: 'goals' | 'own_goals' | 'cancellations' | 'red_cards' | 'yellow_cards' | 'starts',
): ReadonlySet<number> {
  return new Set([...GOAL_RULES.values()].flatMap((rules) => rules[kind]));
}
