import { INCIDENT } from '#contract/soccer.ts';
import type { FactKind } from '../../data/dataset.ts';

/** The type of a goal, by what is known of it. */
export const GOAL_FOR: Readonly<Partial<Record<FactKind, number>>> = {
  goal: INCIDENT.goal,
  penalty_goal: INCIDENT.penaltyGoal,
  own_goal: INCIDENT.ownGoal,
};

/** The types of a card: the provider has none for the second yellow, it shows both. */
export const CARD_FOR: Readonly<Partial<Record<FactKind, readonly number[]>>> = {
  yellow: [INCIDENT.yellowCard],
  second_yellow: [INCIDENT.yellowCard, INCIDENT.redCard],
  red: [INCIDENT.redCard],
};

/** Restart of play after a disallowed goal. */
export const FREE_KICK = 403;
