import { INCIDENT, STATUS } from '#soccer/soccer.ts';
import type { MatchFacts, Period } from '../../data/dataset.ts';
import type { SeededRandom } from './random.ts';

export type StatusId = (typeof STATUS)[keyof typeof STATUS];

/** A period as it is played. Times in seconds; `startsAt` and `endsAt` since the kick-off. */
export type PeriodPlan = {
  readonly period: Period;
  readonly status: StatusId;
  /** Types of the incidents that start and end it. */
  readonly starts: number;
  readonly ends: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly matchTime: number;
  /** Its nominal length; 0 for a shoot-out. */
  readonly nominal: number;
  readonly added: number;
  readonly statusAfter: StatusId;
};

/** `pause`: the break before it, seconds. `maxAdded`: minutes, unless facts need more. */
type Shape = readonly [
  period: Period,
  status: StatusId,
  starts: number,
  matchTime: number,
  nominal: number,
  pause: number,
  maxAdded: number,
];

export const PERIOD_SHAPES: readonly [Shape, ...Shape[]] = [
  ['1H', STATUS.firstHalf, INCIDENT.firstHalfStarted, 0, 2700, 0, 3],
  ['2H', STATUS.secondHalf, INCIDENT.secondHalfStarted, 2700, 2700, 900, 5],
  ['E1', STATUS.extraTimeFirstHalf, INCIDENT.extraTimeFirstHalfStarted, 5400, 900, 300, 1],
  ['E2', STATUS.extraTimeSecondHalf, INCIDENT.extraTimeSecondHalfStarted, 6300, 900, 90, 2],
  ['P', STATUS.shootOut, INCIDENT.shootOutStarted, 7200, 0, 180, 0],
];

type End = readonly [incident: number, status: StatusId];
const REGULAR: End = [INCIDENT.finishedRegularTime, STATUS.finished];
const AFTER_EXTRA_TIME: End = [INCIDENT.finishedAfterExtraTime, STATUS.finishedAfterExtraTime];
const AFTER_PENALTIES: End = [INCIDENT.finishedAfterPenalties, STATUS.finishedAfterPenalties];
const HALFTIME: End = [INCIDENT.halftime, STATUS.halftime];

const ENDS_THE_MATCH: Readonly<Record<Period, End>> = {
  '1H': REGULAR,
  '2H': REGULAR,
  E1: AFTER_EXTRA_TIME,
  E2: AFTER_EXTRA_TIME,
  P: AFTER_PENALTIES,
};
const ENDS_BEFORE: Readonly<Record<Period, End>> = {
  '1H': HALFTIME,
  '2H': HALFTIME,
  E1: [INCIDENT.waitingForExtraTime, STATUS.waitingForExtraTime],
  E2: [INCIDENT.extraTimeHalftime, STATUS.extraTimeHalftime],
  P: [INCIDENT.waitingForPenalty, STATUS.waitingForPenalty],
};

/** Minimum number of seconds after the last fact of a period: a goal is confirmed and play restarts. */
const AFTER_LAST_FACT = 60;

/** Plans the periods of a match: each ends after its added time, which is long enough for all its facts. */
export function planPeriods(facts: MatchFacts, random: SeededRandom): PeriodPlan[] {
  const played = playedIn(facts);
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
    return { period, status, starts, ends, startsAt, endsAt, matchTime, nominal, added, statusAfter };
  });
}

/** Returns the period of a displayed minute, and the second in it. Minutes up to 45 are of the first half. */
export function timeOfMinute(minute: number, facts: MatchFacts): { period: Period; second: number } {
  const inPlay = playedIn(facts).filter(([period]) => period !== 'P');
  const shape = inPlay.findLast(([, , , matchTime]) => matchTime < minute * 60) ?? PERIOD_SHAPES[0];
  return { period: shape[0], second: minute * 60 - shape[3] };
}

function playedIn({ et, pens }: MatchFacts): Shape[] {
  return PERIOD_SHAPES.filter(
    ([period]) => period.endsWith('H') || (period === 'P' ? pens : et) !== undefined,
  );
}

function lastSecond(facts: MatchFacts, period: Period): number {
  const events = facts.events.map(([of, second]) => ({ period: of, second }));
  const subs = facts.subs.map(([minute]) => timeOfMinute(minute, facts));
  const seconds = [...events, ...subs].filter((time) => time.period === period).map(({ second }) => second);
  return Math.max(0, ...seconds);
}
