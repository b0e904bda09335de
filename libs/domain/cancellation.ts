/** Law 6: which goal each cancellation names. */
import { isInShootOut, isOwnGoal, type KnownSides, sideOf, type WithBody } from './goal-facts.ts';

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
  if (standing.length === 0) return { naming, orphans };
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
    const named = repeated === undefined ? undefined : goalOf.get(repeated);
    name(one, named ?? fitting.findLast((goal) => !naming.has(goal.id)));
  }
  return { naming, orphans: orphans.sort((a, b) => (a.id < b.id ? -1 : 1)) };
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
  if (!isOfSide && !isOwnGoalOf(goal, cancellation)) return false;
  const goalTime = goal.incident.event_time;
  const time = cancellation.incident.event_time;
  // The provider's feed has incidents without a time: an unknown time excludes no goal.
  return goalTime === null || time === null || Math.abs(goalTime - time) <= MAX_DISTANCE_SECONDS;
}

/** Whether a goal is an own goal of the cancellation's participant: reviews of one are reported under either team. */
function isOwnGoalOf({ incident }: WithBody, cancellation: WithBody): boolean {
  const { participant_id } = cancellation.incident;
  return isOwnGoal(incident) && participant_id !== null && incident.participant_id === participant_id;
}
