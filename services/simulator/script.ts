import { INCIDENT, STATUS } from '#contract/soccer.ts';
import type { FactKind, FactSide, MatchFacts, Period } from '../../data/dataset.ts';
import { type PeriodPlan, placeOfMinute, type StatusId } from './periods.ts';

/** The type of a goal, by what is known of it. */
export const GOAL_FOR: Readonly<Partial<Record<FactKind, number>>> = {
  goal: INCIDENT.goal,
  penalty_goal: INCIDENT.penaltyGoal,
  own_goal: INCIDENT.ownGoal,
};

/** The types of a card: the provider has none for the second yellow, it shows both. */
const CARD_FOR: Readonly<Partial<Record<FactKind, readonly number[]>>> = {
  yellow: [INCIDENT.yellowCard],
  second_yellow: [INCIDENT.yellowCard, INCIDENT.redCard],
  red: [INCIDENT.redCard],
};

/** An incident as the script has it; `key` is who it is over all its records. */
export type ScriptedIncident = {
  readonly key: string;
  readonly type: number;
  readonly action?: 'insert' | 'update' | 'delete';
  readonly side?: FactSide;
  /** Of a goal: the side it counts for. */
  readonly countsFor?: FactSide;
  readonly person?: number;
  readonly confirmation?: 'tbd' | 'confirmed' | 'cancelled';
  readonly phase: StatusId;
  /** Match time in seconds. */
  readonly time: number;
  /** Of a 424: the goal it disallows, and whether it says which. */
  readonly cancels?: { readonly key: string; readonly named: boolean };
  readonly info?: string;
};

/** What happens to the event itself. */
export type ScriptedChange = {
  readonly status?: StatusId;
  /** A period begins: its clock runs. */
  readonly period?: Period;
  /** The clock stands: what it shows, and the match time played, in seconds. */
  readonly stops?: { readonly shows: number; readonly played: number };
  readonly addedTime?: { readonly period: Period; readonly minutes: number };
  /** Bets are suspended for a reason, or no longer for it. */
  readonly suspend?: string;
  readonly resume?: string;
  readonly finished?: true;
  readonly verified?: true;
};

/** One step, `at` seconds since the kick-off. With neither member it publishes the clock. */
export type ScriptedStep = {
  readonly at: number;
  readonly incident?: ScriptedIncident;
  readonly change?: ScriptedChange;
};

/** Seconds from a card, and from the award of a penalty, to its confirmation. */
const CARD_REVIEW = 12;
const PENALTY_REVIEW = 25;
/** A penalty is given this long before it is taken. */
const PENALTY_BEFORE = 75;
/** Before the kick-off. */
const ANNOUNCED_AT = -300;
const NOT_STARTED_AT = -120;
/** After the whistle. */
const VERIFIED_AFTER = 240;

/** The real facts of a match as steps of the provider's data entry, in no order. */
export function scriptFacts(facts: MatchFacts, periods: readonly PeriodPlan[]): ScriptedStep[] {
  const timeline = facts.facts === 'all';
  const course = courseOf(periods, timeline);
  const events = facts.events.flatMap((event, n) => factSteps(event, `fact${n}`, planOf(periods, event[0])));
  return [
    ...course,
    ...events,
    ...facts.subs.flatMap((sub, n) => substitution(sub, `sub${n}`, facts, periods)),
  ];
}

/** The records of a goal: under review, then confirmed, when the scorer is filled in. */
export function goalRecords(
  goal: { key: string; type: number; side: FactSide; countsFor: FactSide; person?: number },
  second: number,
  plan: PeriodPlan,
): { scored: ScriptedIncident; confirmed: ScriptedIncident } {
  const { person, ...rest } = goal;
  const incident: ScriptedIncident = { ...rest, phase: plan.status, time: plan.matchTime + second };
  return {
    scored: { ...incident, confirmation: 'tbd' },
    confirmed: {
      ...incident,
      ...(person === undefined ? {} : { person }),
      action: 'update',
      confirmation: 'confirmed',
    },
  };
}

/** Seconds from a goal to the kick-off that confirms it. */
export const GOAL_REVIEW = 45;

/** Restart of play after a break, which ends the break for traders. */
export function restart(
  key: string,
  type: number,
  side: FactSide,
  second: number,
  plan: PeriodPlan,
): ScriptedIncident {
  return { key, type, side, phase: plan.status, time: plan.matchTime + second };
}

export function opponent(side: FactSide): FactSide {
  return side === 'home' ? 'away' : 'home';
}

/** The plan of a period. Throws RangeError where the match has none such. */
export function planOf(periods: readonly PeriodPlan[], period: Period): PeriodPlan {
  const plan = periods.find((candidate) => candidate.period === period);
  if (plan === undefined) throw new RangeError(`period ${period} is not played`);
  return plan;
}

/** From not started to the final whistle. Without a known timeline only the event changes. */
function courseOf(periods: readonly PeriodPlan[], timeline: boolean): ScriptedStep[] {
  const steps: ScriptedStep[] = [{ at: ANNOUNCED_AT, change: {} }];
  const phase = (at: number, type: number, status: StatusId, time: number, change: ScriptedChange): void => {
    const incident: ScriptedIncident = { key: `phase${type}`, type, phase: status, time };
    steps.push(timeline ? { at, incident, change } : { at, change });
  };
  phase(NOT_STARTED_AT, INCIDENT.notStarted, STATUS.notStarted, 0, {});
  for (const [n, plan] of periods.entries()) {
    const last = n === periods.length - 1;
    phase(plan.startsAt, plan.starts, plan.status, plan.matchTime, {
      status: plan.status,
      period: plan.period,
    });
    if (plan.nominal > 0 && plan.added > 0) steps.push(addedTime(plan, timeline));
    phase(plan.endsAt, plan.ends, plan.statusAfter, plan.matchTime + plan.nominal, {
      status: plan.statusAfter,
      stops: { shows: last ? 0 : plan.nominal, played: plan.matchTime + plan.nominal },
      ...(last ? { finished: true } : {}),
    });
    if (last) steps.push({ at: plan.endsAt + VERIFIED_AFTER, change: { verified: true } });
  }
  return steps;
}

function addedTime(plan: PeriodPlan, timeline: boolean): ScriptedStep {
  const change: ScriptedChange = { addedTime: { period: plan.period, minutes: plan.added } };
  const at = plan.startsAt + plan.nominal;
  const incident: ScriptedIncident = {
    key: `added${plan.period}`,
    type: INCIDENT.addedTime,
    phase: plan.status,
    time: plan.matchTime + plan.nominal,
    info: String(plan.added),
  };
  return timeline ? { at, incident, change } : { at, change };
}

function factSteps(
  [, second, kind, side, person]: MatchFacts['events'][number],
  key: string,
  plan: PeriodPlan,
): ScriptedStep[] {
  const goal = GOAL_FOR[kind];
  if (plan.period === 'P') return kick(kind, key, side, person, second, plan);
  if (goal !== undefined) {
    const countsFor = kind === 'own_goal' ? opponent(side) : side;
    const given = kind === 'penalty_goal' ? penaltyGiven(key, side, second, plan) : [];
    const { scored, confirmed } = goalRecords({ key, type: goal, side, countsFor, person }, second, plan);
    const restarted = second + GOAL_REVIEW;
    const at = plan.startsAt + restarted;
    return [
      ...given,
      { at: plan.startsAt + second, incident: scored, change: { suspend: key } },
      { at, incident: confirmed, change: { resume: key } },
      { at, incident: restart(`${key}/kickOff`, INCIDENT.kickOff, opponent(countsFor), restarted, plan) },
    ];
  }
  if (kind === 'penalty_missed') {
    const missed = { ...restart(key, INCIDENT.missedPenalty, side, second, plan), person };
    return [...penaltyGiven(key, side, second, plan), { at: plan.startsAt + second, incident: missed }];
  }
  return (CARD_FOR[kind] ?? []).flatMap((type) => card(`${key}/${type}`, type, side, person, second, plan));
}

function kick(
  kind: FactKind,
  key: string,
  side: FactSide,
  person: number,
  second: number,
  plan: PeriodPlan,
): ScriptedStep[] {
  const type = kind === 'kick_scored' ? INCIDENT.penaltyGoal : INCIDENT.missedPenalty;
  // The clock does not run in a shoot-out.
  const incident = { ...restart(key, type, side, 0, plan), person, confirmation: 'confirmed' as const };
  return [
    {
      at: plan.startsAt + second,
      incident: type === INCIDENT.penaltyGoal ? { ...incident, countsFor: side } : incident,
    },
  ];
}

function penaltyGiven(goal: string, side: FactSide, takenAt: number, plan: PeriodPlan): ScriptedStep[] {
  const key = `${goal}/penalty`;
  const second = Math.max(1, takenAt - PENALTY_BEFORE);
  const at = plan.startsAt + second;
  const decided = Math.min(PENALTY_REVIEW, takenAt - second);
  const given: ScriptedIncident = {
    ...restart(key, INCIDENT.penalty, side, second, plan),
    confirmation: 'tbd',
  };
  return [
    { at, incident: given, change: { suspend: key } },
    { at: at + decided, incident: { ...given, action: 'update', confirmation: 'confirmed' } },
    { at: plan.startsAt + takenAt, change: { resume: key } },
  ];
}

function card(
  key: string,
  type: number,
  side: FactSide,
  person: number,
  second: number,
  plan: PeriodPlan,
): ScriptedStep[] {
  const at = plan.startsAt + second;
  const shown: ScriptedIncident = { ...restart(key, type, side, second, plan), confirmation: 'tbd' };
  const confirmed: ScriptedIncident = { ...shown, action: 'update', person, confirmation: 'confirmed' };
  const suspends = type === INCIDENT.redCard;
  return [
    { at, incident: shown, ...(suspends ? { change: { suspend: key } } : {}) },
    { at: at + CARD_REVIEW, incident: confirmed, ...(suspends ? { change: { resume: key } } : {}) },
  ];
}

function substitution(
  [minute, side, out, into]: MatchFacts['subs'][number],
  key: string,
  facts: MatchFacts,
  periods: readonly PeriodPlan[],
): ScriptedStep[] {
  const { period, second } = placeOfMinute(minute, facts);
  const plan = planOf(periods, period);
  // Known to the minute only: in it, and before the first thing that the new player is known to have done.
  const first = facts.events.find((event) => event[0] === period && event[4] === into)?.[1];
  const when = Math.max(1, first === undefined ? second : Math.min(second, first - 1));
  const at = plan.startsAt + when;
  return [
    { at, incident: { ...restart(`${key}/out`, INCIDENT.substitutionOut, side, when, plan), person: out } },
    { at, incident: { ...restart(`${key}/in`, INCIDENT.substitutionIn, side, when, plan), person: into } },
  ];
}
