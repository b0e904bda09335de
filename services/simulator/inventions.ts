import { INCIDENT } from '#soccer/soccer.ts';
import type { FactSide, MatchFacts } from '../../data/dataset.ts';
import { type ContentFault, DISALLOWING, type Disallowing, type Faults } from './faults.ts';
import type { PeriodPlan } from './periods.ts';
import type { SeededRandom } from './random.ts';
import {
  GOAL_FOR,
  GOAL_REVIEW,
  goalRecords,
  opponent,
  planOf,
  restart,
  type ScriptedIncident,
  type ScriptedStep,
} from './script.ts';

/** Restart of play after a disallowed goal. */
const FREE_KICK = 403;

/** Minimum distance of an invented goal from real facts, seconds: a 424 that names no goal must find the invented one. */
const DISTANCE = { before: 240, after: 420 } as const;
/** Seconds until an invented goal is disallowed. */
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
      const found = findFreeTime(periods, occupied, of);
      if (found === undefined) continue;
      const [plan, second] = found;
      occupied.push([plan.period, second]);
      add(way, disallowedGoal(`${way}${n}`, way, of.chance(0.5) ? 'home' : 'away', second, plan, of));
    }
  }
  const goals = facts.events.flatMap((event, n) => (isGoal(event) ? [{ event, key: `fact${n}` }] : []));
  for (let n = random.count(faults.review); n > 0 && goals.length > 0; n--) {
    const [goal] = goals.splice(random.int(0, goals.length - 1), 1);
    if (goal !== undefined) add('review', reviewedGoal(goal.key, goal.event, planOf(periods, goal.event[0])));
  }
  return { steps, counts };
}

function isGoal([period, , kind]: MatchFacts['events'][number]): boolean {
  return period !== 'P' && GOAL_FOR[kind] !== undefined;
}

/** Returns a random time without real facts nearby; undefined when none was found. */
function findFreeTime(
  periods: readonly PeriodPlan[],
  occupied: readonly (readonly [period: string, second: number])[],
  random: SeededRandom,
): [PeriodPlan, number] | undefined {
  const open = periods.filter((plan) => plan.nominal > DURATION.max * 2);
  for (let n = 0; n < MAX_TRIES; n++) {
    const plan = open[random.int(0, open.length - 1)];
    if (plan === undefined) return undefined;
    const second = random.int(30, plan.nominal - DURATION.max - 30);
    const free = occupied.every(
      ([period, at]) =>
        period !== plan.period || at < second - DISTANCE.before || at > second + DISTANCE.after,
    );
    if (free) return [plan, second];
  }
  return undefined;
}

function disallowedGoal(
  key: string,
  way: Disallowing,
  side: FactSide,
  second: number,
  plan: PeriodPlan,
  random: SeededRandom,
): ScriptedStep[] {
  const goal = { key, type: INCIDENT.goal, side, countsFor: side };
  const { scored, confirmed } = goalRecords(goal, { second, plan });
  const ended = second + random.int(DURATION.min, DURATION.max);
  const step = (when: number, incident: ScriptedIncident) => ({ at: plan.startsAt + when, incident });
  const also = (suffix: string, type: number, by: FactSide, when: number): ScriptedIncident =>
    restart(`${key}/${suffix}`, type, by, { second: when, plan });
  const cancelled: ScriptedIncident = { ...scored, action: 'update', confirmation: 'cancelled' };
  const deleted: ScriptedIncident = { ...scored, action: 'delete' };
  const disallows = (
    named: boolean,
    confirmation: 'tbd' | 'confirmed',
    repeatedAfter = 0,
  ): ScriptedIncident => ({
    ...also(repeatedAfter > 0 ? '424/2' : '424', INCIDENT.goalCancelled, side, ended + repeatedAfter),
    ...(named ? { time: scored.time } : {}),
    cancels: { key, named },
    confirmation,
  });
  const counted = step(second + GOAL_REVIEW, confirmed);
  const disallowing: Readonly<Record<Disallowing, () => ScriptedStep[]>> = {
    rejected: () => [step(ended, cancelled)],
    cancelled: () => [counted, step(ended, cancelled)],
    deleted: () => [step(ended, deleted)],
    goal_cancelled: () => [counted, step(ended, disallows(false, 'confirmed'))],
    goal_cancelled_child: () => [
      counted,
      step(ended - 10, disallows(true, 'tbd')),
      step(ended, { ...disallows(true, 'confirmed'), action: 'update' }),
    ],
    goal_cancelled_twice: () => [
      counted,
      step(ended, disallows(false, 'confirmed')),
      step(ended + REPEATED_AFTER, disallows(false, 'confirmed', REPEATED_AFTER)),
    ],
    every_way: () => [
      step(ended, disallows(random.chance(0.5), 'confirmed')),
      step(ended + 4, cancelled),
      step(ended + 9, deleted),
    ],
  };
  // A deleted goal is a data-entry error, which no one reviews.
  const review = [
    step(second + 20, also('var', INCIDENT.possibleVar, side, second + 20)),
    step(ended - 3, also('varEnded', INCIDENT.varEnded, side, ended - 3)),
  ];
  return [
    { ...step(second, scored), change: { suspend: key } },
    ...(way === 'deleted' ? [] : review),
    ...disallowing[way](),
    { ...step(ended + 15, also('freeKick', FREE_KICK, opponent(side), ended + 15)), change: { resume: key } },
  ];
}

/** Returns a review that changes nothing: an unconfirmed 424 names the goal and is then cancelled. */
function reviewedGoal(
  key: string,
  [, second, kind, side]: MatchFacts['events'][number],
  plan: PeriodPlan,
): ScriptedStep[] {
  const scoredBy = kind === 'own_goal' ? opponent(side) : side;
  const review: ScriptedIncident = {
    ...restart(`${key}/review`, INCIDENT.goalCancelled, scoredBy, { second, plan }),
    cancels: { key, named: true },
    confirmation: 'tbd',
  };
  const at = plan.startsAt + second;
  return [
    { at: at + 15, incident: review, change: { suspend: review.key } },
    {
      at: at + 40,
      incident: { ...review, action: 'update', confirmation: 'cancelled' },
      change: { resume: review.key },
    },
  ];
}
