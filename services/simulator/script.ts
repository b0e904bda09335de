import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import type { FactKind, FactSide, MatchFacts, Period } from '../../data/dataset.ts';
import { type PeriodPlan, type StatusId, timeOfMinute } from './periods.ts';

/** The incident type of a goal, by the kind of its fact. */
export const GOAL_FOR: Readonly<Partial<Record<FactKind, number>>> = {
  goal: INCIDENT.goal,
  penalty_goal: INCIDENT.penaltyGoal,
  own_goal: INCIDENT.ownGoal,
};

/** The incident types of a card. The provider has no type for a second yellow card and sends both cards. */
const CARD_FOR: Readonly<Partial<Record<FactKind, readonly number[]>>> = {
  yellow: [INCIDENT.yellowCard],
  second_yellow: [INCIDENT.yellowCard, INCIDENT.redCard],
  red: [INCIDENT.redCard],
};

/** A record of an incident. All records of one incident have the same `key`. */
export type ScriptedIncident = {
  readonly key: string;
  readonly type: number;
  readonly action?: 'insert' | 'update' | 'delete';
  readonly side?: FactSide;
  readonly countsFor?: FactSide;
  readonly person?: number;
  readonly confirmation?: 'tbd' | 'confirmed' | 'cancelled';
  readonly phase: StatusId;
  /** Match time in seconds. */
  readonly time: number;
  /** The goal that a 424 disallows, and whether the 424 names it. */
  readonly cancels?: { readonly key: string; readonly named: boolean };
  readonly info?: string;
};

/** A change of the event's fields. */
export type ScriptedChange = {
  readonly status?: StatusId;
  /** The period that begins; its clock runs. */
  readonly period?: Period;
  /** Stops the clock: the time that it shows, and the match time played, seconds. */
  readonly stops?: { readonly shows: number; readonly played: number };
  readonly addedTime?: { readonly period: Period; readonly minutes: number };
  /** The reason for which bets are suspended from now on. */
  readonly suspend?: string;
  /** The reason that no longer suspends bets. */
  readonly resume?: string;
  readonly finished?: true;
  readonly verified?: true;
};

/** A step, `at` seconds after the kick-off. Without an incident and a change it only publishes the clock. */
export type ScriptedStep = {
  readonly at: number;
  readonly incident?: ScriptedIncident;
  readonly change?: ScriptedChange;
};

/** Seconds from a card, and from the award of a penalty, to its confirmation. */
const CARD_REVIEW = 12;
const PENALTY_REVIEW = 25;
/** Seconds from the award of a penalty to the kick. */
const PENALTY_BEFORE = 75;
/** First messages of a match, seconds from the kick-off. */
const ANNOUNCED_AT = -300;
const NOT_STARTED_AT = -120;
/** Seconds from the final whistle to the verified result. */
const VERIFIED_AFTER = 240;

/** Returns the real facts of a match as steps of the provider's data entry, in no order. */
export function scriptFacts(facts: MatchFacts, periods: readonly PeriodPlan[]): ScriptedStep[] {
  const timeline = facts.facts === 'all';
  const events = facts.events.flatMap((event, n) => factSteps(event, `fact${n}`, planOf(periods, event[0])));
  return [
    ...phaseSteps(periods, timeline),
    ...events,
    ...facts.subs.flatMap((sub, n) => substitution(sub, `sub${n}`, facts, periods)),
  ];
}

/** Returns the records of a goal: under review, then confirmed with the scorer. */
export function goalRecords(
  goal: { key: string; type: number; side: FactSide; countsFor: FactSide; person?: number },
  { second, plan }: PeriodSecond,
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

/** Seconds from a goal to its confirmation, at the kick-off that follows. */
export const GOAL_REVIEW = 45;

/** A second of a period. */
export type PeriodSecond = { readonly second: number; readonly plan: PeriodPlan };

/** Returns an incident of a side at a second of a period. */
export function restart(key: string, type: number, side: FactSide, at: PeriodSecond): ScriptedIncident {
  return { key, type, side, phase: at.plan.status, time: at.plan.matchTime + at.second };
}

export function opponent(side: FactSide): FactSide {
  return side === 'home' ? 'away' : 'home';
}

/** Returns the plan of a period. Throws `RangeError` when the match does not have this period. */
export function planOf(periods: readonly PeriodPlan[], period: Period): PeriodPlan {
  const plan = periods.find((candidate) => candidate.period === period);
  if (plan === undefined) throw new RangeError(`period ${period} is not played`);
  return plan;
}

/** Returns the steps from "not started" to the verified result. Without a known timeline there are no incidents. */
function phaseSteps(periods: readonly PeriodPlan[], timeline: boolean): ScriptedStep[] {
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
  const at = { second, plan };
  if (plan.period === 'P') return kick(kind, key, side, person, at);
  if (goal !== undefined) {
    const countsFor = kind === 'own_goal' ? opponent(side) : side;
    const given = kind === 'penalty_goal' ? penaltyGiven(key, side, at) : [];
    const { scored, confirmed } = goalRecords({ key, type: goal, side, countsFor, person }, at);
    const restarted = { second: second + GOAL_REVIEW, plan };
    const again = plan.startsAt + restarted.second;
    return [
      ...given,
      { at: plan.startsAt + second, incident: scored, change: { suspend: key } },
      { at: again, incident: confirmed, change: { resume: key } },
      { at: again, incident: restart(`${key}/kickOff`, INCIDENT.kickOff, opponent(countsFor), restarted) },
    ];
  }
  if (kind === 'penalty_missed') {
    const missed = { ...restart(key, INCIDENT.missedPenalty, side, at), person };
    return [...penaltyGiven(key, side, at), { at: plan.startsAt + second, incident: missed }];
  }
  return (CARD_FOR[kind] ?? []).flatMap((type) => card(`${key}/${type}`, type, side, person, at));
}

function kick(kind: FactKind, key: string, side: FactSide, person: number, at: PeriodSecond): ScriptedStep[] {
  const type = kind === 'kick_scored' ? INCIDENT.penaltyGoal : INCIDENT.missedPenalty;
  // The clock does not run during a shoot-out.
  const taken = restart(key, type, side, { ...at, second: 0 });
  const incident = { ...taken, person, confirmation: 'confirmed' as const };
  const counts = type === INCIDENT.penaltyGoal ? { countsFor: side } : {};
  return [{ at: at.plan.startsAt + at.second, incident: { ...incident, ...counts } }];
}

function penaltyGiven(goal: string, side: FactSide, taken: PeriodSecond): ScriptedStep[] {
  const { second: takenAt, plan } = taken;
  const key = `${goal}/penalty`;
  const second = Math.max(1, takenAt - PENALTY_BEFORE);
  const at = plan.startsAt + second;
  const decided = Math.min(PENALTY_REVIEW, takenAt - second);
  const given: ScriptedIncident = {
    ...restart(key, INCIDENT.penalty, side, { second, plan }),
    confirmation: 'tbd',
  };
  return [
    { at, incident: given, change: { suspend: key } },
    { at: at + decided, incident: { ...given, action: 'update', confirmation: 'confirmed' } },
    { at: plan.startsAt + takenAt, change: { resume: key } },
  ];
}

function card(key: string, type: number, side: FactSide, person: number, of: PeriodSecond): ScriptedStep[] {
  const at = of.plan.startsAt + of.second;
  const shown: ScriptedIncident = { ...restart(key, type, side, of), confirmation: 'tbd' };
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
  const { period, second } = timeOfMinute(minute, facts);
  const plan = planOf(periods, period);
  // Only the minute is known. The substitution is in it, and before the first fact of the new player.
  const first = facts.events.find((event) => event[0] === period && event[4] === into)?.[1];
  const when = Math.max(1, first === undefined ? second : Math.min(second, first - 1));
  const at = plan.startsAt + when;
  const of = { second: when, plan };
  return [
    { at, incident: { ...restart(`${key}/out`, INCIDENT.substitutionOut, side, of), person: out } },
    { at, incident: { ...restart(`${key}/in`, INCIDENT.substitutionIn, side, of), person: into } },
  ];
}
