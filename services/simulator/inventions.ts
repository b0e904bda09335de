import { INCIDENT } from '#contract/soccer.ts';
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

/** The invented steps of a match, and their number by kind. */
export type Inventions = {
  readonly steps: ScriptedStep[];
  readonly counts: Partial<Record<ContentFault, number>>;
};

/** Seconds that an invented goal keeps from what really happened: a 424 that names none must find it, not another. */
const ROOM = { before: 240, after: 420 } as const;
/** How long an invented goal lasts, in seconds. */
const LASTS = { min: 70, max: 200 } as const;
const TRIES = 40;

/**
 * The data has no disallowed goals, so these are invented. Each is disallowed before play restarts, so the final score
 * stays the official one. Real goals are reviewed and stand.
 */
export function invent(
  facts: MatchFacts,
  periods: readonly PeriodPlan[],
  faults: Faults,
  random: SeededRandom,
): Inventions {
  const counts: Partial<Record<ContentFault, number>> = {};
  const steps: ScriptedStep[] = [];
  // Without a timeline there are no goals to disallow.
  if (facts.facts === 'score_only') return { steps, counts };
  const add = (fault: ContentFault, what: ScriptedStep[]): void => {
    steps.push(...what);
    counts[fault] = (counts[fault] ?? 0) + 1;
  };
  const taken: [period: string, second: number][] = facts.events.map(([period, second]) => [period, second]);
  for (const way of DISALLOWING) {
    for (let n = random.count(faults[way]); n > 0; n--) {
      const place = findRoom(periods, taken, random);
      if (place === undefined) continue;
      const [plan, second] = place;
      taken.push([plan.period, second]);
      add(way, disallowedGoal(`${way}${n}`, way, random.chance(0.5) ? 'home' : 'away', second, plan, random));
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

function findRoom(
  periods: readonly PeriodPlan[],
  taken: readonly (readonly [period: string, second: number])[],
  random: SeededRandom,
): [PeriodPlan, number] | undefined {
  const open = periods.filter((plan) => plan.nominal > LASTS.max * 2);
  for (let n = 0; n < TRIES; n++) {
    const plan = open[random.int(0, open.length - 1)];
    if (plan === undefined) return undefined;
    const second = random.int(30, plan.nominal - LASTS.max - 30);
    const free = taken.every(
      ([period, at]) => period !== plan.period || at < second - ROOM.before || at > second + ROOM.after,
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
  const { scored, confirmed } = goalRecords(
    { key, type: INCIDENT.goal, side, countsFor: side },
    second,
    plan,
  );
  const ended = second + random.int(LASTS.min, LASTS.max);
  const step = (when: number, incident: ScriptedIncident): ScriptedStep => ({
    at: plan.startsAt + when,
    incident,
  });
  const also = (suffix: string, type: number, by: FactSide, when: number): ScriptedIncident =>
    restart(`${key}/${suffix}`, type, by, when, plan);
  const cancelled: ScriptedIncident = { ...scored, action: 'update', confirmation: 'cancelled' };
  const deleted: ScriptedIncident = { ...scored, action: 'delete' };
  const disallows = (named: boolean, confirmation: 'tbd' | 'confirmed'): ScriptedIncident => ({
    ...also('424', INCIDENT.goalCancelled, side, ended),
    ...(named ? { time: scored.time } : {}),
    cancels: { key, named },
    confirmation,
  });
  const counted = step(second + GOAL_REVIEW, confirmed);
  const taken: Readonly<Record<Disallowing, () => ScriptedStep[]>> = {
    rejected: () => [step(ended, cancelled)],
    cancelled: () => [counted, step(ended, cancelled)],
    deleted: () => [step(ended, deleted)],
    goal_cancelled: () => [counted, step(ended, disallows(false, 'confirmed'))],
    goal_cancelled_child: () => [
      counted,
      step(ended - 10, disallows(true, 'tbd')),
      step(ended, { ...disallows(true, 'confirmed'), action: 'update' }),
    ],
    every_way: () => [
      step(ended, disallows(random.chance(0.5), 'confirmed')),
      step(ended + 4, cancelled),
      step(ended + 9, deleted),
    ],
  };
  // A deleted goal is a slip of the data entry: no one reviews that.
  const review = [
    step(second + 20, also('var', INCIDENT.possibleVar, side, second + 20)),
    step(ended - 3, also('varEnded', INCIDENT.varEnded, side, ended - 3)),
  ];
  return [
    { ...step(second, scored), change: { suspend: key } },
    ...(way === 'deleted' ? [] : review),
    ...taken[way](),
    { ...step(ended + 15, also('freeKick', FREE_KICK, opponent(side), ended + 15)), change: { resume: key } },
  ];
}

/** A review that changes nothing: an unconfirmed 424 names the goal and is then cancelled itself. */
function reviewedGoal(
  key: string,
  [, second, kind, side]: MatchFacts['events'][number],
  plan: PeriodPlan,
): ScriptedStep[] {
  const scoredBy = kind === 'own_goal' ? opponent(side) : side;
  const review: ScriptedIncident = {
    ...restart(`${key}/review`, INCIDENT.goalCancelled, scoredBy, second, plan),
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
