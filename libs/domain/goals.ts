import type { Score } from '#records/types.ts';
import { nameGoals } from './cancellation.ts';
import type { Sides } from './event-facts.ts';
import {
  hasBody,
  isInShootOut,
  type KnownIncident,
  type KnownSides,
  type Scoring,
  type Side,
  sideOf,
  stands,
  type WithBody,
  whyNoSide,
} from './goal-facts.ts';
import { sameScore } from './score.ts';

type VoidReason = 'removed' | 'cancelled' | 'goal_cancelled';

/** The outcome of all goals of a match. Lists of ids are in the order of ids. */
export type GoalTally = {
  /** The current score; null when a side is unknown, because goals cannot be assigned to it. */
  readonly score: Score | null;
  /** The score without goals that await confirmation. */
  readonly firm: Score | null;
  /** Goals of the penalty shoot-out; null when none counted. */
  readonly shootOut: Score | null;
  readonly underReview: boolean;
  /** Whether the provider's latest list omits a goal that is not void, or a cancellation that names a goal. */
  readonly missing: boolean;
  /** Goals in the score. */
  readonly counting: readonly string[];
  /** The side of each goal of play that has one, void or not, by id. */
  readonly sides: ReadonlyMap<string, Side>;
  /** All goals that are not void, shoot-out included. */
  readonly valid: readonly string[];
  readonly voided: ReadonlyMap<string, VoidReason>;
  /** Ids of the cancellations that stand and name each void goal. */
  readonly voidBy: ReadonlyMap<string, readonly string[]>;
  readonly orphans: readonly string[];
  /**
   * The latest `ut` of a standing cancellation that names no goal, and of a goal that was confirmed after those that name it; Unix
   * seconds. Null without either.
   */
  readonly unexplainedAt: number | null;
  /** `<id>:<reason>` of each goal that is not void and has no side. */
  readonly anomalies: readonly string[];
};

/**
 * Laws 5 and 6: decides which goals count, for which side, and which are void. `goals`: the incidents of goal types;
 * `cancellations`: those of type 424; both sorted by id, removed ones included.
 */
export function tallyGoals(
  goals: readonly KnownIncident[],
  cancellations: readonly KnownIncident[],
  sides: KnownSides,
): GoalTally {
  const known = goals.filter(hasBody);
  const { naming, orphans } = nameGoals(known, cancellations.filter(hasBody), sides);
  const score = { home: 0, away: 0 };
  const firm = { home: 0, away: 0 };
  const shootOut = { home: 0, away: 0 };
  const counting: string[] = [];
  const valid: string[] = [];
  let hadShootOut = false;
  const anomalies: string[] = [];
  const sideOfGoal = new Map<string, Side>();
  const unexplained = orphans.filter(stands).map((cancellation) => cancellation.incident.ut);
  const voided = new Map<string, VoidReason>();
  const voidBy = new Map<string, readonly string[]>();
  let underReview = false;
  let missing = false;
  for (const goal of known) {
    const { id, incident } = goal;
    const named = naming.get(id) ?? [];
    if (named.some((cancellation) => cancellation.missing)) missing = true;
    const side = sideOf(incident, sides);
    if (side !== null && !isInShootOut(incident)) sideOfGoal.set(id, side);
    const reason = voidReason(goal, named);
    if (reason !== null) {
      voided.set(id, reason);
      const by = named.filter(stands);
      if (by.length > 0)
        voidBy.set(
          id,
          by.map((cancellation) => cancellation.id),
        );
      if (reason === 'goal_cancelled' && isConfirmedAfter(goal, by)) unexplained.push(incident.ut);
      continue;
    }
    valid.push(id);
    if (goal.missing) missing = true;
    if (side === null) {
      anomalies.push(`${id}:${whyNoSide(incident)}`);
    } else if (isInShootOut(incident)) {
      hadShootOut = true;
      shootOut[side] += 1;
    } else {
      const isFirm = incident.confirmation !== 'tbd' && !goal.missing;
      counting.push(id);
      score[side] += 1;
      if (isFirm) firm[side] += 1;
      // A cancellation that names the goal and stands would have made it void: this one awaits confirmation.
      if (!isFirm || named.length > 0) underReview = true;
    }
  }
  const sidesKnown = sides.home !== null && sides.away !== null;
  return {
    score: sidesKnown ? score : null,
    firm: sidesKnown ? firm : null,
    shootOut: hadShootOut ? shootOut : null,
    underReview,
    missing,
    counting,
    sides: sideOfGoal,
    valid,
    voided,
    voidBy,
    orphans: orphans.map(({ id }) => id),
    unexplainedAt: unexplained.length === 0 ? null : Math.max(...unexplained),
    anomalies,
  };
}

/**
 * Law 3: whether the provider's result contradicts its list: it is the score with all that the list omits, and not the score
 * without. Arguments as in `tallyGoals`; `isOmitted`: whether the list omits an incident that no delete removed.
 */
export function contradictsList(
  goals: readonly KnownIncident[],
  cancellations: readonly KnownIncident[],
  sides: KnownSides & Pick<Sides, 'reported'>,
  isOmitted: (id: string) => boolean,
): boolean {
  const { reported } = sides;
  const omits = ({ id }: KnownIncident): boolean => isOmitted(id);
  // Almost always no goal is omitted, and this runs for every message.
  if (reported === null || !(goals.some(omits) || cancellations.some(omits))) return false;
  const scoreIf = (removed: boolean): Score | null => {
    const assume = (one: KnownIncident) => (omits(one) ? { ...one, removed } : one);
    return tallyGoals(goals.map(assume), cancellations.map(assume), sides).score;
  };
  return sameScore(reported, scoreIf(false)) && !sameScore(reported, scoreIf(true));
}

/**
 * Returns the score after each goal, by the goal's id. `counting`: ids of the goals that count, in the order of ids (law 4). An
 * unknown goal and a goal of an unknown side have no score.
 */
export function scoresAfter(
  counting: readonly string[],
  incidents: ReadonlyMap<string, Scoring | null>,
  sides: KnownSides,
): Map<string, Score> {
  const scores = new Map<string, Score>();
  const score = { home: 0, away: 0 };
  for (const id of counting) {
    const incident = incidents.get(id);
    const side = incident ? sideOf(incident, sides) : null;
    if (side === null) continue;
    score[side] += 1;
    scores.set(id, { home: score.home, away: score.away });
  }
  return scores;
}

/** Whether a goal was reported as confirmed after all cancellations that name it: both cannot be right. */
function isConfirmedAfter({ incident }: WithBody, naming: readonly WithBody[]): boolean {
  return (
    incident.confirmation === 'confirmed' &&
    naming.every(({ incident: { ut, message_id } }) => {
      if (incident.ut !== ut) return incident.ut > ut;
      return incident.message_id !== null && message_id !== null && incident.message_id > message_id;
    })
  );
}

function voidReason(goal: WithBody, naming: readonly WithBody[]): VoidReason | null {
  if (goal.removed) return 'removed';
  if (goal.incident.confirmation === 'cancelled') return 'cancelled';
  return naming.some(stands) ? 'goal_cancelled' : null;
}
