import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { INCIDENT, SHOOT_OUT_PHASES } from '#contract/soccer.ts';
import type { Agreement, Coverage, Incident, Score, ScoreSource } from '#topics/generated/types.ts';
import type { Sides } from './event-facts.ts';

/** The score of a match by law 8. */
export type FinalScore = {
  readonly score: Score | null;
  readonly firm: Score | null;
  readonly source: ScoreSource;
  readonly agreement: Agreement;
};

/** The input of law 8. */
type ScoreSources = {
  readonly coverage: Coverage;
  /** The score of the goals; null when the sport has no goal rules or a side is unknown. */
  readonly derived: Score | null;
  readonly derivedFirm: Score | null;
  /** The provider's own result. */
  readonly reported: Score | null;
};

/** Whether an incident shows that the timeline is reported from its start. */
export function isTimelineStart({ incident_id }: Incident): boolean {
  return incident_id === INCIDENT.notStarted || incident_id === INCIDENT.firstHalfStarted;
}

/**
 * Law 8, coverage: complete once a snapshot was applied or an incident of the timeline's start is present, partial with
 * any other incident. `starts`: number of incidents of the start that are not removed. `known`: number of incidents with a
 * body.
 */
export function coverageOf(snapshotAt: number | null, starts: number, known: number): Coverage {
  if (snapshotAt !== null || starts > 0) return 'complete';
  return known > 0 ? 'partial' : 'none';
}

/** Law 8: a complete timeline wins over the provider's result, which wins over a partial timeline. */
export function decideScore({ coverage, derived, derivedFirm, reported }: ScoreSources): FinalScore {
  const usable = coverage === 'none' ? null : derived;
  if (usable !== null && (coverage === 'complete' || reported === null)) {
    return {
      score: usable,
      firm: derivedFirm,
      source: 'incidents',
      agreement: reported === null ? 'unknown' : sameScore(usable, reported) ? 'agrees' : 'differs',
    };
  }
  if (reported !== null) return { score: reported, firm: reported, source: 'reported', agreement: 'agrees' };
  return { score: null, firm: null, source: 'none', agreement: 'unknown' };
}

/** Whether two scores are equal; an unknown score equals only an unknown one. */
export function sameScore(a: Score | null, b: Score | null): boolean {
  return a === b || (a !== null && b !== null && a.home === b.home && a.away === b.away);
}

/** Types of incidents that are goals, in play or in the shoot-out. */
export const GOAL_TYPES: ReadonlySet<number> = new Set([
  INCIDENT.goal,
  INCIDENT.penaltyGoal,
  INCIDENT.ownGoal,
]);

/** Maximum match time between a goal and a cancellation without a parent, seconds. */
const MAX_DISTANCE_SECONDS = 600;

/** An incident of a register; `incident` is null when only deletes have arrived. */
export type KnownIncident = {
  readonly id: string;
  readonly incident: Incident | null;
  readonly removed: boolean;
};

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
  /** Goals in the score. */
  readonly counting: readonly string[];
  /** All goals that are not void, shoot-out included. */
  readonly valid: readonly string[];
  readonly voided: ReadonlyMap<string, VoidReason>;
  readonly orphans: readonly string[];
  /** `<id>:<reason>` of each goal that is not void and has no side. */
  readonly anomalies: readonly string[];
};

/** A side of a match. */
export type Side = 'home' | 'away';
/** Both sides, as far as goals need them. */
type KnownSides = Pick<Sides, 'home' | 'away'>;
type WithBody = KnownIncident & { readonly incident: Incident };

/** Whether an incident is a goal, in play or in the shoot-out. */
export function isGoal(incident: Incident): boolean {
  return GOAL_TYPES.has(incident.incident_id);
}

/** Whether an incident cancels a goal. */
export function isCancellation(incident: Incident): boolean {
  return incident.incident_id === INCIDENT.goalCancelled;
}

/** Whether an incident is a red card. */
export function isRedCard(incident: Incident): boolean {
  return incident.incident_id === INCIDENT.redCard;
}

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
  const voided = new Map<string, VoidReason>();
  let underReview = false;
  for (const goal of known) {
    const { id, incident } = goal;
    const named = naming.get(id) ?? [];
    const reason = voidReason(goal, named);
    if (reason !== null) {
      voided.set(id, reason);
      continue;
    }
    valid.push(id);
    const side = sideOf(incident, sides);
    if (side === null) {
      anomalies.push(`${id}:${whyNoSide(incident)}`);
    } else if (isInShootOut(incident)) {
      hadShootOut = true;
      shootOut[side] += 1;
    } else {
      const toConfirm = incident.confirmation === 'tbd';
      counting.push(id);
      score[side] += 1;
      if (!toConfirm) firm[side] += 1;
      if (toConfirm || named.some(({ confirmation }) => confirmation === 'tbd')) underReview = true;
    }
  }
  const sidesKnown = sides.home !== null && sides.away !== null;
  return {
    score: sidesKnown ? score : null,
    firm: sidesKnown ? firm : null,
    shootOut: hadShootOut ? shootOut : null,
    underReview,
    counting,
    valid,
    voided,
    orphans,
    anomalies,
  };
}

/** Law 6: returns the ids of the standing 424 incidents that name each goal, by the goal's id. Arguments as in `tallyGoals`. */
export function namedGoals(
  goals: readonly KnownIncident[],
  cancellations: readonly KnownIncident[],
  sides: KnownSides,
): ReadonlyMap<string, readonly string[]> {
  const { naming } = nameGoals(goals.filter(hasBody), cancellations.filter(hasBody), sides);
  return new Map(Array.from(naming, ([goal, named]) => [goal, named.map(({ id }) => id)]));
}

/** The fields that decide which side an incident counts for. */
type Scoring = Pick<Incident, 'incident_id' | 'participant_id' | 'counts_for'>;

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

/** Returns the side that a goal or a cancellation counts for; null when it is unknown. */
export function sideOf(incident: Scoring, { home, away }: KnownSides): Side | null {
  const participant = incident.participant_id;
  if (participant === null) return null;
  const isHome = participant === home?.id;
  if (!isHome && participant !== away?.id) return null;
  const countsFor = countsForOf(incident);
  if (countsFor === 'own') return isHome ? 'home' : 'away';
  if (countsFor === 'rival') return isHome ? 'away' : 'home';
  return null;
}

function countsForOf(incident: Scoring): string {
  return incident.counts_for ?? INCIDENT_TYPES_OF_SOCCER.get(incident.incident_id)?.for ?? 'none';
}

function whyNoSide(incident: Incident): string {
  const countsFor = countsForOf(incident);
  if (countsFor === 'own' || countsFor === 'rival') return 'unknown_participant';
  return countsFor === 'all' || countsFor === 'none' ? `for_${countsFor}` : 'unknown_for';
}

function voidReason(goal: WithBody, naming: readonly Incident[]): VoidReason | null {
  if (goal.removed) return 'removed';
  if (goal.incident.confirmation === 'cancelled') return 'cancelled';
  const stands = naming.some(({ confirmation }) => confirmation === 'confirmed' || confirmation === null);
  return stands ? 'goal_cancelled' : null;
}

/** Finds the goal that each cancellation names. A cancellation that is itself removed or cancelled names none. */
function nameGoals(
  goals: readonly WithBody[],
  cancellations: readonly WithBody[],
  sides: KnownSides,
): { naming: ReadonlyMap<string, readonly Incident[]>; orphans: readonly string[] } {
  const naming = new Map<string, Incident[]>();
  const orphans: string[] = [];
  const standing = cancellations.filter((one) => !one.removed && one.incident.confirmation !== 'cancelled');
  if (standing.length === 0) return { naming, orphans };
  const goalIds = new Set(goals.map(({ id }) => id));
  // Those with a parent first, whatever their id.
  for (const { id, incident } of standing) {
    const parent = incident.parent_id;
    if (parent === null) continue;
    if (goalIds.has(parent)) naming.set(parent, [...(naming.get(parent) ?? []), incident]);
    else orphans.push(id);
  }
  for (const cancellation of standing) {
    if (cancellation.incident.parent_id !== null) continue;
    const goal = goals.findLast((one) => !naming.has(one.id) && matches(one, cancellation, sides));
    if (goal === undefined) orphans.push(cancellation.id);
    else naming.set(goal.id, [cancellation.incident]);
  }
  return { naming, orphans: orphans.sort() };
}

/** Whether a cancellation without a parent may refer to this goal, void or not. */
function matches(goal: WithBody, cancellation: WithBody, sides: KnownSides): boolean {
  if (goal.id >= cancellation.id) return false;
  const side = sideOf(cancellation.incident, sides);
  if (side === null || sideOf(goal.incident, sides) !== side) return false;
  if (isInShootOut(goal.incident) !== isInShootOut(cancellation.incident)) return false;
  const goalTime = goal.incident.event_time;
  const time = cancellation.incident.event_time;
  // The provider's feed has incidents without a time: an unknown time excludes no goal.
  return goalTime === null || time === null || Math.abs(goalTime - time) <= MAX_DISTANCE_SECONDS;
}

/** Whether an incident belongs to the shoot-out; one whose phase is unknown belongs to play. */
export function isInShootOut({ event_status_id }: Incident): boolean {
  return event_status_id !== null && SHOOT_OUT_PHASES.has(event_status_id);
}

function hasBody(one: KnownIncident): one is WithBody {
  return one.incident !== null;
}
