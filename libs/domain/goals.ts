import type { Incident, Score } from '#records/types.ts';
import { INCIDENT, SHOOT_OUT_PHASES } from '#soccer/soccer.ts';
import type { Sides } from './event-facts.ts';
import { compareIds } from './incident-register.ts';
import { COUNTS_FOR } from './sports/goal-rules.ts';

/** Types of incidents that are goals, in play or in the shoot-out. */
export const GOAL_TYPES: ReadonlySet<number> = new Set([
  INCIDENT.goal,
  INCIDENT.penaltyGoal,
  INCIDENT.ownGoal,
]);

/** An incident of a register; `incident` is null when only deletes have arrived. */
export type KnownIncident = {
  readonly id: string;
  readonly incident: Incident | null;
  readonly removed: boolean;
  /** Not on the provider's latest list, and not proven to be removed (law 3). */
  readonly missing: boolean;
};

/** A side of a match. */
export type Side = 'home' | 'away';
/** Both sides, as far as goals need them. */
export type KnownSides = Pick<Sides, 'home' | 'away'>;
/** An incident with a body. */
export type WithBody = KnownIncident & { readonly incident: Incident };

/** Returns whether an incident is of one of these types. */
function ofTypes(...types: readonly number[]) {
  return ({ incident_id }: Pick<Incident, 'incident_id'>): boolean => types.includes(incident_id);
}

/** Whether an incident is a goal, in play or in the shoot-out. */
export const isGoal = ofTypes(...GOAL_TYPES);
/** Whether an incident is a goal of its participant's for the other side. */
const isOwnGoal = ofTypes(INCIDENT.ownGoal);
/** Whether an incident cancels a goal. */
export const isCancellation = ofTypes(INCIDENT.goalCancelled);
/** Whether an incident is a goal, or may decide whether one counts. */
export const concernsGoals = ofTypes(...GOAL_TYPES, INCIDENT.goalCancelled);
export const isRedCard = ofTypes(INCIDENT.redCard);
/** Whether an incident is a yellow or a red card. */
export const isCard = ofTypes(INCIDENT.yellowCard, INCIDENT.redCard);
/** Whether an incident shows that the timeline is reported from its start. */
export const isTimelineStart = ofTypes(INCIDENT.notStarted, INCIDENT.firstHalfStarted);

/** The fields that decide which side an incident counts for. */
export type Scoring = Pick<Incident, 'incident_id' | 'participant_id' | 'counts_for'>;

/** Returns the side that a goal or a cancellation counts for; null when it is unknown. */
export function sideOf(incident: Scoring, { home, away }: KnownSides): Side | null {
  const participant = incident.participant_id;
  const isHome = participant === home?.id;
  if (!isHome && participant !== away?.id) return null;
  const countsFor = countsForOf(incident);
  if (countsFor === 'own') return isHome ? 'home' : 'away';
  if (countsFor === 'rival') return isHome ? 'away' : 'home';
  return null;
}

function countsForOf(incident: Scoring): string {
  return incident.counts_for ?? COUNTS_FOR.get(incident.incident_id) ?? 'none';
}

/** Returns why a goal counts for no side, as in the anomalies of match state. */
function whyNoSide(incident: Incident): string {
  const countsFor = countsForOf(incident);
  if (countsFor === 'own' || countsFor === 'rival') return 'unknown_participant';
  return countsFor === 'all' || countsFor === 'none' ? `for_${countsFor}` : 'unknown_for';
}

/** Whether a cancellation that names a goal, or none, subtracts it: it awaits no confirmation. */
function stands({ incident }: WithBody): boolean {
  return incident.confirmation === 'confirmed' || incident.confirmation === null;
}

/** Whether an incident belongs to the shoot-out; one whose phase is unknown belongs to play. */
export function isInShootOut({ event_status_id }: Pick<Incident, 'event_status_id'>): boolean {
  return SHOOT_OUT_PHASES.has(event_status_id);
}

/** Whether the body of an incident has arrived. */
export function hasBody(one: KnownIncident): one is WithBody {
  return one.incident !== null;
}

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
  /** The latest `ut` of a standing cancellation without a goal, and of a goal confirmed after its own; Unix seconds; null without. */
  readonly unexplainedAt: number | null;
  /** `<id>:<reason>` of each goal that is not void and has no side. */
  readonly anomalies: readonly string[];
};

/** Laws 5 and 6: decides which goals count, for which side, and which are void. Both lists sorted by id, removed ones included. */
export function tallyGoals(
  goals: readonly WithBody[],
  cancellations: readonly WithBody[],
  sides: KnownSides,
): GoalTally {
  const { naming, orphans } = nameGoals(goals, cancellations, sides);
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
  for (const goal of goals) {
    const { id, incident } = goal;
    const named = naming.get(id) ?? [];
    if (named.some((cancellation) => cancellation.missing)) missing = true;
    const side = sideOf(incident, sides);
    if (side !== null && !isInShootOut(incident)) sideOfGoal.set(id, side);
    const reason = voidReason(goal, named);
    if (reason !== null) {
      voided.set(id, reason);
      const by = named.filter(stands);
      const ids = by.map((cancellation) => cancellation.id);
      if (ids.length > 0) voidBy.set(id, ids);
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

/** Law 3: whether the provider's result is the score with all that its list omits, and not the score without. */
export function contradictsList(
  goals: readonly WithBody[],
  cancellations: readonly WithBody[],
  sides: KnownSides & Pick<Sides, 'reported'>,
  isOmitted: (id: string) => boolean,
): boolean {
  // Almost always no goal is omitted, and this runs for every message.
  if (![...goals, ...cancellations].some(({ id }) => isOmitted(id))) return false;
  const { reported } = sides;
  const scoreIf = (removed: boolean): Score | null => {
    const assume = (one: WithBody) => (isOmitted(one.id) ? { ...one, removed } : one);
    return tallyGoals(goals.map(assume), cancellations.map(assume), sides).score;
  };
  return sameScore(reported, scoreIf(false)) && !sameScore(reported, scoreIf(true));
}

/** Whether two scores are equal; an unknown score equals only an unknown one. */
export function sameScore(a: Score | null, b: Score | null): boolean {
  return a === b || (a !== null && b !== null && a.home === b.home && a.away === b.away);
}

/** Returns the score after each goal, by its id; none of an unknown goal or side. `counting`: in the order of ids (law 4). */
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

/** Maximum match time between a goal and a cancellation without a parent, seconds. */
const MAX_DISTANCE_SECONDS = 600;

/** Finds the goal that each cancellation names. A cancellation that is itself removed or cancelled names none. */
export function nameGoals(
  goals: readonly WithBody[],
  cancellations: readonly WithBody[],
  sides: KnownSides,
): { naming: ReadonlyMap<string, readonly WithBody[]>; orphans: readonly WithBody[] } {
  const naming = new Map<string, WithBody[]>();
  const orphans: WithBody[] = [];
  const standing = cancellations.filter((one) => !one.removed && one.incident.confirmation !== 'cancelled');
  const goalOf = new Map<WithBody, WithBody>();
  const name = (cancellation: WithBody, goal: WithBody | undefined): void => {
    if (goal === undefined) {
      orphans.push(cancellation);
      return;
    }
    goalOf.set(cancellation, goal);
    naming.set(goal.id, [...(naming.get(goal.id) ?? []), cancellation]);
  };
  const byId = new Map(goals.map((goal) => [goal.id, goal]));
  // Those with a parent first, whatever their id.
  for (const one of standing) {
    if (one.incident.parent_id !== null) name(one, byId.get(one.incident.parent_id));
  }
  for (const one of standing) {
    if (one.incident.parent_id !== null) continue;
    const fitting = goals.filter((goal) => fits(goal, one, sides));
    const last = fitting.at(-1)?.id ?? '';
    const repeated = standing.findLast(
      (earlier) =>
        earlier.id < one.id &&
        earlier.id > last &&
        isRepetition(earlier, one) &&
        fitting.some((goal) => goal === goalOf.get(earlier)),
    );
    const named = repeated && goalOf.get(repeated);
    name(one, named ?? fitting.findLast((goal) => !naming.has(goal.id)));
  }
  return { naming, orphans: orphans.sort((a, b) => compareIds(a.id, b.id)) };
}

/** Maximum match time between two reports of one decision, seconds. */
const MAX_REPETITION_SECONDS = 60;

/** Whether a cancellation may repeat an earlier one: both times are known and close. */
function isRepetition(earlier: WithBody, later: WithBody): boolean {
  const [first, second] = [earlier.incident.event_time, later.incident.event_time];
  return first !== null && second !== null && Math.abs(first - second) <= MAX_REPETITION_SECONDS;
}

/** Whether a cancellation without a parent may refer to this goal, void or not. */
function fits(goal: WithBody, cancellation: WithBody, sides: KnownSides): boolean {
  if (goal.id >= cancellation.id) return false;
  if (isInShootOut(goal.incident) !== isInShootOut(cancellation.incident)) return false;
  const side = sideOf(cancellation.incident, sides);
  const isOfSide = side !== null && sideOf(goal.incident, sides) === side;
  // Reviews of an own goal are reported under either team.
  const { participant_id } = cancellation.incident;
  const isOfTeam = participant_id !== null && goal.incident.participant_id === participant_id;
  if (!isOfSide && !(isOfTeam && isOwnGoal(goal.incident))) return false;
  const goalTime = goal.incident.event_time;
  const time = cancellation.incident.event_time;
  // The provider's feed has incidents without a time: an unknown time excludes no goal.
  return goalTime === null || time === null || Math.abs(goalTime - time) <= MAX_DISTANCE_SECONDS;
}
