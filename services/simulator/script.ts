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
  readonly countsFor?: FactSide | undefined;
  readonly person?: number | undefined;
  readonly confirmation?: 'tbd' | 'confirmed' | 'cancelled';
  readonly phase: StatusId;
  readonly time: number;
  /** The goal that a 424 disallows, and whether the 424 names it. */
  readonly cancels?: { readonly key: string; readonly named: boolean };
  readonly info?: string;
};

/** A change of the event's fields. */
export type ScriptedChange = {
  readonly status?: StatusId;
  /** The period that begins, so that its clock runs, and the one whose added time is shown. */
  readonly begins?: PeriodPlan;
  readonly addedTime?: PeriodPlan;
  /** Stops the clock: the time that it shows, and the match time played, seconds. */
  readonly stops?: { readonly shows: number; readonly played: number };
  /** The reason for which bets are suspended from now on, and the one that no longer suspends them. */
  readonly suspend?: string;
  readonly resume?: string;
  readonly finished?: boolean;
  readonly verified?: true;
};

/** A step, `at` seconds after the kick-off. Without an incident and a change it only publishes the clock. */
export type ScriptedStep = {
  readonly at: number;
  readonly incident?: ScriptedIncident;
  readonly change?: ScriptedChange | undefined;
};

type Fact = MatchFacts['events'][number];

/** Seconds from a goal to its confirmation at the kick-off that follows, from a card, and from the award of a penalty, to theirs. */
export const GOAL_REVIEW = 45;
const CARD_REVIEW = 12;
const PENALTY_REVIEW = 25;
const PENALTY_BEFORE = 75;
/** First messages of a match, seconds from the kick-off. */
const ANNOUNCED_AT = -300;
const NOT_STARTED_AT = -120;
/** Seconds from the final whistle to the verified result. */
const VERIFIED_AFTER = 240;

/** Returns the real facts of a match as steps of the provider's data entry, in no order. */
export function scriptFacts(facts: MatchFacts, periods: readonly PeriodPlan[]): ScriptedStep[] {
  return [
    ...phaseSteps(periods, facts.facts === 'all'),
    ...facts.events.flatMap((event, n) => factSteps(event, `fact${n}`, planOf(periods, event[0]))),
    ...facts.subs.flatMap((sub, n) => substitution(sub, `sub${n}`, facts, periods)),
  ];
}

export type PeriodSecond = { readonly second: number; readonly plan: PeriodPlan };

/** Returns an incident of a side at a second of a period. */
export function incidentAt(key: string, type: number, side: FactSide, at: PeriodSecond): ScriptedIncident {
  return { key, type, side, phase: at.plan.status, time: at.plan.matchTime + at.second };
}

export function stepAt(at: PeriodSecond, incident: ScriptedIncident, change?: ScriptedChange): ScriptedStep {
  return { at: at.plan.startsAt + at.second, incident, change };
}

/** Returns the records of an incident: under review, then confirmed with the person. */
export function reviewOf(incident: ScriptedIncident, person?: number) {
  return {
    shown: { ...incident, confirmation: 'tbd' },
    confirmed: { ...incident, person, action: 'update', confirmation: 'confirmed' },
  } as const;
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
  const add = (at: number, incident: ScriptedIncident, change: ScriptedChange): void => {
    steps.push(timeline ? { at, incident, change } : { at, change });
  };
  const phase = (type: number, status: StatusId, time: number): ScriptedIncident => ({
    key: `phase${type}`,
    type,
    phase: status,
    time,
  });
  add(NOT_STARTED_AT, phase(INCIDENT.notStarted, STATUS.notStarted, 0), {});
  for (const [n, plan] of periods.entries()) {
    const { status, matchTime, nominal, added } = plan;
    const isLast = n === periods.length - 1;
    const ended = matchTime + nominal;
    add(plan.startsAt, phase(plan.starts, status, matchTime), { status, begins: plan });
    if (nominal > 0 && added > 0) {
      const shown = { ...phase(INCIDENT.addedTime, status, ended), key: `added${plan.period}` };
      add(plan.startsAt + nominal, { ...shown, info: String(added) }, { addedTime: plan });
    }
    add(plan.endsAt, phase(plan.ends, plan.statusAfter, ended), {
      status: plan.statusAfter,
      stops: { shows: isLast ? 0 : nominal, played: ended },
      finished: isLast,
    });
    if (isLast) steps.push({ at: plan.endsAt + VERIFIED_AFTER, change: { verified: true } });
  }
  return steps;
}

function factSteps([, second, kind, side, person]: Fact, key: string, plan: PeriodPlan): ScriptedStep[] {
  const at = { second, plan };
  if (plan.period === 'P') {
    const isScored = kind === 'kick_scored';
    const type = isScored ? INCIDENT.penaltyGoal : INCIDENT.missedPenalty;
    // The clock does not run during a shoot-out.
    const { confirmed } = reviewOf(incidentAt(key, type, side, { second: 0, plan }), person);
    return [stepAt(at, { ...confirmed, action: 'insert', countsFor: isScored ? side : undefined })];
  }
  const type = GOAL_FOR[kind];
  const given = kind.startsWith('penalty') ? penaltyGiven(`${key}/penalty`, side, at) : [];
  if (kind === 'penalty_missed')
    return [...given, stepAt(at, { ...incidentAt(key, INCIDENT.missedPenalty, side, at), person })];
  if (type === undefined)
    return (CARD_FOR[kind] ?? []).flatMap((card) => {
      const { shown, confirmed } = reviewOf(incidentAt(`${key}/${card}`, card, side, at), person);
      const suspends = card === INCIDENT.redCard;
      return [
        stepAt(at, shown, suspends ? { suspend: shown.key } : undefined),
        stepAt(
          { second: second + CARD_REVIEW, plan },
          confirmed,
          suspends ? { resume: shown.key } : undefined,
        ),
      ];
    });
  const countsFor = kind === 'own_goal' ? opponent(side) : side;
  const { shown, confirmed } = reviewOf({ ...incidentAt(key, type, side, at), countsFor }, person);
  const again = { second: second + GOAL_REVIEW, plan };
  return [
    ...given,
    stepAt(at, shown, { suspend: key }),
    stepAt(again, confirmed, { resume: key }),
    stepAt(again, incidentAt(`${key}/kickOff`, INCIDENT.kickOff, opponent(countsFor), again)),
  ];
}

function penaltyGiven(key: string, side: FactSide, { second: takenAt, plan }: PeriodSecond): ScriptedStep[] {
  const at = { second: Math.max(1, takenAt - PENALTY_BEFORE), plan };
  const decided = { second: Math.min(at.second + PENALTY_REVIEW, takenAt), plan };
  const { shown, confirmed } = reviewOf(incidentAt(key, INCIDENT.penalty, side, at));
  return [
    stepAt(at, shown, { suspend: key }),
    stepAt(decided, confirmed),
    { at: plan.startsAt + takenAt, change: { resume: key } },
  ];
}

function substitution(
  [minute, side, out, into]: MatchFacts['subs'][number],
  key: string,
  facts: MatchFacts,
  periods: readonly PeriodPlan[],
): ScriptedStep[] {
  const { period, second } = timeOfMinute(minute, facts);
  // Only the minute is known. The substitution is in it, and before the first fact of the new player.
  const first = facts.events.find((event) => event[0] === period && event[4] === into)?.[1];
  const at = {
    second: Math.max(1, Math.min(second, (first ?? second + 1) - 1)),
    plan: planOf(periods, period),
  };
  return [
    stepAt(at, { ...incidentAt(`${key}/out`, INCIDENT.substitutionOut, side, at), person: out }),
    stepAt(at, { ...incidentAt(`${key}/in`, INCIDENT.substitutionIn, side, at), person: into }),
  ];
}
