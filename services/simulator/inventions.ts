import { INCIDENT } from '#soccer/soccer.ts';
import type { FactSide, MatchFacts } from '../../data/dataset.ts';
import { type ContentFault, DISALLOWING, type Disallowing, type Faults } from './faults.ts';
import type { PeriodPlan } from './periods.ts';
import type { SeededRandom } from './random.ts';
import {
  GOAL_FOR,
  GOAL_REVIEW,
  incidentAt,
  opponent,
  type PeriodSecond,
  planOf,
  reviewOf,
  type ScriptedIncident,
  type ScriptedStep,
  stepAt,
} from './script.ts';

const FREE_KICK = 403;

/** Minimum distance of an invented goal from real facts, seconds: a 424 that names no goal must find the invented one. */
const DISTANCE = { before: 240, after: 420 } as const;
const DURATION = { min: 70, max: 200 } as const;
/** Seconds from a 424 to the second one for the same decision. */
const REPEATED_AFTER = 8;
const MAX_TRIES = 40;

/** Invents disallowed goals, each before play restarts so that the final score stays, and reviews of real ones. */
export function invent(
  facts: MatchFacts,
  periods: readonly PeriodPlan[],
  faults: Faults,
  random: SeededRandom,
  randomOfTwice: SeededRandom,
) {
  const counts: Partial<Record<ContentFault, number>> = {};
  const steps: ScriptedStep[] = [];
  // Without a timeline there are no goals to disallow.
  if (facts.facts === 'score_only') return { steps, counts };
  const add = (fault: ContentFault, invented: ScriptedStep[]): void => {
    steps.push(...invented);
    counts[fault] = (counts[fault] ?? 0) + 1;
  };
  const occupied = facts.events.map(([period, second]): [string, number] => [period, second]);
  for (const way of DISALLOWING) {
    const of = way === 'goal_cancelled_twice' ? randomOfTwice : random;
    for (let n = of.count(faults[way]); n > 0; n--) {
      const at = findFreeTime(periods, occupied, of);
      if (at === undefined) continue;
      occupied.push([at.plan.period, at.second]);
      add(way, disallowedGoal(`${way}${n}`, way, of.chance(0.5) ? 'home' : 'away', at, of));
    }
  }
  const goals = facts.events.flatMap((event, n) => {
    const [period, second, kind, side] = event;
    if (period === 'P' || GOAL_FOR[kind] === undefined) return [];
    const scoredBy = kind === 'own_goal' ? opponent(side) : side;
    return [{ key: `fact${n}`, scoredBy, second, period }];
  });
  for (let n = random.count(faults.review); n > 0 && goals.length > 0; n--) {
    const [goal] = goals.splice(random.int(0, goals.length - 1), 1);
    if (goal !== undefined)
      add('review', reviewedGoal(goal.key, goal.scoredBy, { ...goal, plan: planOf(periods, goal.period) }));
  }
  return { steps, counts };
}

/** Returns a random time without real facts nearby; undefined when none was found. */
function findFreeTime(
  periods: readonly PeriodPlan[],
  occupied: readonly (readonly [period: string, second: number])[],
  random: SeededRandom,
): PeriodSecond | undefined {
  const open = periods.filter(({ nominal }) => nominal > DURATION.max * 2);
  for (let n = 0; n < MAX_TRIES; n++) {
    const plan = open[random.int(0, open.length - 1)];
    if (plan === undefined) return undefined;
    const second = random.int(30, plan.nominal - DURATION.max - 30);
    const isFree = occupied.every(
      ([period, at]) =>
        period !== plan.period || at < second - DISTANCE.before || at > second + DISTANCE.after,
    );
    if (isFree) return { plan, second };
  }
  return undefined;
}

function disallowedGoal(
  key: string,
  way: Disallowing,
  side: FactSide,
  scoredAt: PeriodSecond,
  random: SeededRandom,
): ScriptedStep[] {
  const { second, plan } = scoredAt;
  const { shown, confirmed } = reviewOf({
    ...incidentAt(key, INCIDENT.goal, side, scoredAt),
    countsFor: side,
  });
  const ended = second + random.int(DURATION.min, DURATION.max);
  const step = (when: number, incident: ScriptedIncident) => stepAt({ second: when, plan }, incident);
  const also = (suffix: string, type: number, when: number, by = side): ScriptedStep =>
    step(when, incidentAt(`${key}/${suffix}`, type, by, { second: when, plan }));
  const cancelled: ScriptedIncident = { ...shown, action: 'update', confirmation: 'cancelled' };
  const deleted: ScriptedIncident = { ...shown, action: 'delete' };
  const disallows = (when: number, named: boolean, more: Partial<ScriptedIncident> = {}): ScriptedStep => {
    const incident = incidentAt(`${key}/424`, INCIDENT.goalCancelled, side, { second: ended, plan });
    const time = named ? shown.time : incident.time;
    return step(when, { ...incident, time, cancels: { key, named }, confirmation: 'confirmed', ...more });
  };
  const counted = step(second + GOAL_REVIEW, confirmed);
  const disallowing: Readonly<Record<Disallowing, () => ScriptedStep[]>> = {
    rejected: () => [step(ended, cancelled)],
    cancelled: () => [counted, step(ended, cancelled)],
    deleted: () => [step(ended, deleted)],
    goal_cancelled: () => [counted, disallows(ended, false)],
    goal_cancelled_child: () => [
      counted,
      disallows(ended - 10, true, { confirmation: 'tbd' }),
      disallows(ended, true, { action: 'update' }),
    ],
    goal_cancelled_twice: () => [
      counted,
      disallows(ended, false),
      disallows(ended + REPEATED_AFTER, false, {
        key: `${key}/424/2`,
        time: plan.matchTime + ended + REPEATED_AFTER,
      }),
    ],
    every_way: () => [
      disallows(ended, random.chance(0.5)),
      step(ended + 4, cancelled),
      step(ended + 9, deleted),
    ],
  };
  // A deleted goal is a data-entry error, which no one reviews.
  const review = [
    also('var', INCIDENT.possibleVar, second + 20),
    also('varEnded', INCIDENT.varEnded, ended - 3),
  ];
  return [
    { ...step(second, shown), change: { suspend: key } },
    ...(way === 'deleted' ? [] : review),
    ...disallowing[way](),
    { ...also('freeKick', FREE_KICK, ended + 15, opponent(side)), change: { resume: key } },
  ];
}

/** Returns a review that changes nothing: an unconfirmed 424 names the goal and is then cancelled. */
function reviewedGoal(goal: string, scoredBy: FactSide, { second, plan }: PeriodSecond): ScriptedStep[] {
  const key = `${goal}/review`;
  const incident = incidentAt(key, INCIDENT.goalCancelled, scoredBy, { second, plan });
  const review: ScriptedIncident = { ...incident, cancels: { key: goal, named: true }, confirmation: 'tbd' };
  const rejected: ScriptedIncident = { ...review, action: 'update', confirmation: 'cancelled' };
  return [
    stepAt({ second: second + 15, plan }, review, { suspend: key }),
    stepAt({ second: second + 40, plan }, rejected, { resume: key }),
  ];
}
