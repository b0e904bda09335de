import { SOCCER } from '#contract/soccer.ts';
import type { Participant } from '#topics/generated/types.ts';
import {
  isCancellation,
  isGoal,
  isInShootOut,
  type KnownIncident,
  type Side,
  sideOf,
  tallyGoals,
} from './goals.ts';
import { compareIds } from './incident-index.ts';

/** What an incident is to the score of its match. */
export type IncidentEffect = {
  /** Neither removed nor cancelled and, of a goal, not void by a goal-cancelled incident. */
  readonly stands: boolean;
  /** Whether it is a goal of the score (law 5); null of a goal where the sport has no rules here or a side is unknown. */
  readonly counts: boolean | null;
  readonly inShootOut: boolean;
  /** The side whose score it raised by one; null where it raised none. */
  readonly scored: Side | null;
};

/** Both sides of a match and its sport, as match state has them; null is unknown. */
export type MatchSides = {
  readonly sportId: number | null;
  readonly home: Participant | null;
  readonly away: Participant | null;
};

const NO_EFFECT: IncidentEffect = { stands: false, counts: false, inShootOut: false, scored: null };

/**
 * Gives the effect of each incident of one match. `goalsAndCancellations` are all incidents of the match that `concernsGoals`
 * holds for, in any order, removed ones included.
 */
export function effectsOf(
  goalsAndCancellations: readonly KnownIncident[],
  { sportId, home, away }: MatchSides,
): (one: KnownIncident) => IncidentEffect {
  const sorted = goalsAndCancellations.toSorted((a, b) => compareIds(a.id, b.id));
  const goals = sorted.filter(({ incident }) => incident !== null && isGoal(incident));
  const cancellations = sorted.filter(({ incident }) => incident !== null && isCancellation(incident));
  const tally = tallyGoals(goals, cancellations, { home, away });
  const counting = new Set(tally.counting);
  const isKnown = (sportId ?? SOCCER) === SOCCER && home !== null && away !== null;
  return ({ id, incident, removed }) => {
    if (incident === null) return NO_EFFECT;
    const inShootOut = isInShootOut(incident);
    const stands = !removed && incident.confirmation !== 'cancelled' && !tally.voided.has(id);
    if (!isGoal(incident)) return { stands, counts: false, inShootOut, scored: null };
    if (!isKnown) return { stands, counts: null, inShootOut, scored: null };
    const counts = counting.has(id);
    return { stands, counts, inShootOut, scored: counts ? sideOf(incident, { home, away }) : null };
  };
}

/** Whether an incident may decide which goals count. */
export function concernsGoals({ incident }: KnownIncident): boolean {
  return incident !== null && (isGoal(incident) || isCancellation(incident));
}
