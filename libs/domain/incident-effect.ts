import type { Participant } from '#records/types.ts';
import { isCancellation, isGoal, isInShootOut, type KnownIncident, type Side, sideOf } from './goal-facts.ts';
import { tallyGoals } from './goals.ts';
import { compareIds } from './incident-register.ts';
import { hasRulesOfGoals } from './sports/table.ts';

/** The effect of an incident on the score of its match. */
export type IncidentEffect = {
  /** Whether it is neither removed nor cancelled, nor a goal that a standing goal-cancelled incident names. */
  readonly stands: boolean;
  /** Whether it is a goal of the score (law 5); null for a goal when the sport has no goal rules or a side is unknown. */
  readonly counts: boolean | null;
  readonly inShootOut: boolean;
  /** The side whose score it raised by one; null if it raised none. */
  readonly scored: Side | null;
};

/** Both sides of a match and its sport, as match state has them; null is unknown. */
export type MatchSides = {
  readonly sportId: number | null;
  readonly home: Participant | null;
  readonly away: Participant | null;
};

const NO_EFFECT: IncidentEffect = { stands: false, counts: false, inShootOut: false, scored: null };

/** Returns a function that returns the effect of an incident. `goalsAndCancellations`: all that `concernsGoals`, removed ones included. */
export function effectsOf(
  goalsAndCancellations: readonly KnownIncident[],
  { sportId, home, away }: MatchSides,
): (one: KnownIncident) => IncidentEffect {
  const sorted = goalsAndCancellations.toSorted((a, b) => compareIds(a.id, b.id));
  const goals = sorted.filter(({ incident }) => incident !== null && isGoal(incident));
  const cancellations = sorted.filter(({ incident }) => incident !== null && isCancellation(incident));
  const tally = tallyGoals(goals, cancellations, { home, away });
  const counting = new Set(tally.counting);
  const isKnown = hasRulesOfGoals(sportId) && home !== null && away !== null;
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
