import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import type { MatchFacts, Period } from '../../data/dataset.ts';
import type { SeededRandom } from './random.ts';

export type StatusId = (typeof STATUS)[keyof typeof STATUS];

/** A period as it is played. Times in seconds; `startsAt` and `endsAt` since the kick-off. */
export type PeriodPlan = {
  readonly period: Period;
  readonly status: StatusId;
  /** Type of the incident that starts it. */
  readonly starts: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly matchTime: number;
  /** Its nominal length; 0 for a shoot-out. */
  readonly nominal: number;
  /** Minutes that the referee adds. */
  readonly added: number;
  /** Type of the incident that ends it. */
  readonly ends: number;
  readonly statusAfter: StatusId;
};

type Shape = readonly [
  period: Period,
  status: StatusId,
  /** Type of the incident that starts it. */
  starts: number,
  matchTime: number,
  nominal: number,
  /** Break before it, seconds. */
  pause: number,
  /** Maximum number of added minutes, unless facts need more. */
  maxAdded: number,
];

/** The periods of a match in their order. */
export const PERIOD_SHAPES: readonly Shape[] = [
  ['1H', STATUS.firstHalf, INCIDENT.firstHalfStarted, 0, 2700, 0, 3],
  ['2H', STATUS.secondHalf, INCIDENT.secondHalfStarted, 2700, 2700, 900, 5],
  ['E1', STATUS.extraTimeFirstHalf, INCIDENT.extraTimeFirstHalfStarted, 5400, 900, 300, 1],
  ['E2', STATUS.extraTimeSecondHalf, INCIDENT.extraTimeSecondHalfStarted, 6300, 900, 90, 2],
  ['P', STATUS.shootOut, INCIDENT.shootOutStarted, 7200, 0, 180, 0],
];

const ENDS_THE_MATCH: Readonly<Record<Period, readonly [incident: number, status: StatusId]>> = {
  '1H': [INCIDENT.finishedRegularTime, STATUS.finished],
  '2H': [INCIDENT.finishedRegularTime, STATUS.finished],
  E1: [INCIDENT.finishedAfterExtraTime, STATUS.finishedAfterExtraTime],
  E2: [INCIDENT.finishedAfterExtraTime, STATUS.finishedAfterExtraTime],
  P: [INCIDENT.finishedAfterPenalties, STATUS.finishedAfterPenalties],
};

const ENDS_BEFORE: Readonly<Record<Period, readonly [incident: number, status: StatusId]>> = {
  '1H': [INCIDENT.halftime, STATUS.halftime],
  '2H': [INCIDENT.halftime, STATUS.halftime],
  E1: [INCIDENT.waitingForExtraTime, STATUS.waitingForExtraTime],
  E2: [INCIDENT.extraTimeHalftime, STATUS.extraTimeHalftime],
  P: [INCIDENT.waitingForPenalty, STATUS.waitingForPenalty],
};

/** Minimum number of seconds after the last fact of a period: a goal is confirmed and play restarts. */
const AFTER_LAST_FACT = 60;

/** Plans the periods of a match: each ends after its added time, which is long enough for all its facts. */
export function planPeriods(facts: MatchFacts, random: SeededRandom): PeriodPlan[] {
  const played = PERIOD_SHAPES.filter(
    ([period]) =>
      period === '1H' || period === '2H' || (period === 'P' ? facts.pens : facts.et) !== undefined,
  );
  let clock = 0;
  return played.map(([period, status, starts, matchTime, nominal, pause, maxAdded], n) => {
    const [next] = played[n + 1] ?? [];
    const last = lastSecond(facts, period);
    const added = Math.max(random.int(0, maxAdded), Math.floor((last - nominal) / 60), 0);
    const extra = nominal === 0 ? 0 : random.int(5, 40);
    const startsAt = clock + pause;
    const endsAt = startsAt + Math.max(nominal + added * 60 + extra, last + AFTER_LAST_FACT);
    clock = endsAt;
    const [ends, statusAfter] = next === undefined ? ENDS_THE_MATCH[period] : ENDS_BEFORE[next];
    return { period, status, starts, matchTime, nominal, startsAt, endsAt, added, ends, statusAfter };
  });
}

/** Returns the period of a displayed minute, and the second in it. Minutes up to 45 are of the first half. */
export function timeOfMinute(minute: number, facts: MatchFacts): { period: Period; second: number } {
  const [period, from]: [Period, number] =
    minute <= 45
      ? ['1H', 0]
      : facts.et === undefined || minute <= 90
        ? ['2H', 2700]
        : minute <= 105
          ? ['E1', 5400]
          : ['E2', 6300];
  return { period, second: minute * 60 - from };
}

function lastSecond(facts: MatchFacts, period: Period): number {
  const events = facts.events.filter((event) => event[0] === period).map((event) => event[1]);
  const subs = facts.subs
    .map(([minute]) => timeOfMinute(minute, facts))
    .filter((time) => time.period === period);
  return Math.max(0, ...events, ...subs.map(({ second }) => second));
}
