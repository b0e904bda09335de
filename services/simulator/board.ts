import { INCIDENT, RESULT, STATUS, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import { type FactSide, finalScore, type MatchFacts, type Period } from '../../data/dataset.ts';
import { PERIOD_SHAPES, type StatusId } from './periods.ts';
import { opponent, type ScriptedChange, type ScriptedIncident } from './script.ts';

type Value = { readonly id: number; readonly value: number | string | null };

/** A team's statistics: the provider's id of each, and the type of the incidents that it counts. */
const STATS: readonly (readonly [id: number, type: number])[] = [
  [8, INCIDENT.yellowCard],
  [9, INCIDENT.redCard],
  [14, INCIDENT.penaltyGoal],
  [15, INCIDENT.missedPenalty],
  [16, INCIDENT.penalty],
  [17, INCIDENT.ownGoal],
  [31, INCIDENT.substitutionOut],
];
const GOALS = 40;

const PERIOD_OF: ReadonlyMap<StatusId, Period> = new Map(
  PERIOD_SHAPES.map(([period, status]) => [status, period]),
);
const ADDED_TIME = { '1H': 201, '2H': 202, E1: 203, E2: 204 } as const;
const DETAIL = { periodLength: 16, periods: 17, extraPeriodLength: 50, extraTime: 58, timer: 124 } as const;

const REGULAR: readonly Period[] = ['1H', '2H'];
const IN_PLAY: readonly Period[] = ['1H', '2H', 'E1', 'E2'];

export type EventFields = ReturnType<ReturnType<typeof simulatedBoard>['show']>;

/** Returns the board of one match. Goals count as at the provider: one under review is in the score until it is taken back. */
export function simulatedBoard(facts: MatchFacts) {
  const isKnockout = facts.round === null;
  let shown: StatusId = STATUS.notStarted;
  let finished = false;
  let verified = false;
  /** `runsSince`: start of a running clock, Unix seconds. `shows`: seconds on a stopped one. `before`: match time at its zero. */
  let clock:
    | { readonly runsSince: number; readonly before: number }
    | { readonly shows: number; readonly before: number }
    | null = null;
  const begun = new Set<Period>();
  /** The goals that stand, by key. */
  const goals = new Map<string, { readonly side: FactSide; readonly period: Period | undefined }>();
  /** The key of the goal that an incident disallows, by the key of the incident. */
  const disallowed = new Map<string, string>();
  /** The incidents before a shoot-out that stand, by key. */
  const counted = new Map<string, { readonly side: FactSide; readonly type: number }>();
  const addedTimes = new Map<Period, number>();
  /** The reasons for which bets are suspended. */
  const holds = new Set<string>();

  /** Returns the goals of a side in some periods; null before the first begins, and of a match of unknown goals before its end. */
  const result = (side: FactSide, periods: readonly Period[]): number | null => {
    if (!periods.some((period) => begun.has(period))) return null;
    if (facts.facts !== 'all') return finished ? officialGoals(facts, side, periods) : null;
    const gone = new Set(disallowed.values());
    const counts = ([key, goal]: [string, { side: FactSide; period: Period | undefined }]): boolean =>
      goal.side === side && !gone.has(key) && periods.some((period) => period === goal.period);
    return [...goals].filter(counts).length;
  };
  const leader = (): FactSide | undefined => {
    for (const periods of [['P'], IN_PLAY] as const) {
      const home = result('home', periods) ?? 0;
      const away = result('away', periods) ?? 0;
      if (home !== away) return home > away ? 'home' : 'away';
    }
    return undefined;
  };
  const results = (side: FactSide): Value[] => {
    const regularOver = finished || begun.has('E1');
    const ahead = (result(side, REGULAR) ?? 0) > (result(opponent(side), REGULAR) ?? 0);
    const advanced = finished && isKnockout && leader() === side;
    const of = (id: number, periods: readonly Period[]) => ({ id, value: result(side, periods) });
    return [
      of(RESULT.score, IN_PLAY),
      of(RESULT.regularTime, REGULAR),
      of(RESULT.firstHalf, ['1H']),
      of(RESULT.secondHalf, ['2H']),
      of(RESULT.shootOut, ['P']),
      of(RESULT.extraTime, ['E1', 'E2']),
      of(RESULT.extraTimeFirstHalf, ['E1']),
      of(RESULT.extraTimeSecondHalf, ['E2']),
      { id: RESULT.winner, value: regularOver && ahead ? 1 : 0 },
      { id: RESULT.progress, value: advanced ? 1 : 0 },
    ];
  };
  const stats = (side: FactSide): Value[] => {
    const own = [...counted.values()].filter((one) => one.side === side);
    const countOf = (type: number) => own.filter((one) => one.type === type).length;
    return [
      ...STATS.map(([id, type]) => ({ id, value: begun.size > 0 ? countOf(type) : null })),
      { id: GOALS, value: result(side, IN_PLAY) },
    ];
  };
  const details = (): Value[] => [
    { id: DETAIL.periodLength, value: 45 },
    { id: DETAIL.periods, value: 2 },
    { id: DETAIL.extraPeriodLength, value: 15 },
    { id: DETAIL.extraTime, value: isKnockout ? null : 'No Extra Time' },
    { id: DETAIL.timer, value: 'up' },
    ...Object.entries(ADDED_TIME).map(([period, id]) => ({
      id,
      value: addedTimes.get(period as Period) ?? null,
    })),
  ];
  /** Returns the winner's id, shoot-out included; null for a draw and before the end. */
  const winner = (): number | null => {
    const side = finished ? leader() : undefined;
    return side === undefined ? null : facts[side];
  };
  /** Whether the match is being played, breaks included. */
  const isLive = (): boolean => begun.size > 0 && !finished;

  return {
    isLive,
    /** Applies a change of the event; `at` is Unix seconds. */
    change(
      { status, begins, stops, addedTime, suspend, resume, ...flags }: ScriptedChange,
      at: number,
    ): void {
      shown = status ?? shown;
      if (begins !== undefined) {
        const { period, matchTime: before } = begins;
        begun.add(period);
        clock = period === 'P' ? { shows: 0, before } : { runsSince: at, before };
      }
      if (stops !== undefined) clock = { shows: stops.shows, before: stops.played - stops.shows };
      if (addedTime !== undefined) addedTimes.set(addedTime.period, addedTime.added);
      if (suspend !== undefined) holds.add(suspend);
      if (resume !== undefined) holds.delete(resume);
      finished ||= flags.finished === true;
      verified ||= flags.verified === true;
    },
    apply({ key, type, side, countsFor, cancels, phase, confirmation, action }: ScriptedIncident): void {
      const stands = confirmation !== 'cancelled' && action !== 'delete';
      if (countsFor !== undefined && stands)
        goals.set(key, { side: countsFor, period: PERIOD_OF.get(phase) });
      else goals.delete(key);
      if (cancels !== undefined && stands && confirmation === 'confirmed') disallowed.set(key, cancels.key);
      else disallowed.delete(key);
      if (stands && side !== undefined && phase !== STATUS.shootOut) counted.set(key, { side, type });
      else counted.delete(key);
    },
    /** Returns the event's fields at `at`, Unix seconds. */
    show(at: number) {
      const status = STATUSES_OF_SOCCER.get(shown);
      const time = clock === null ? null : 'shows' in clock ? clock.shows : at - clock.runsSince;
      return {
        status_id: shown,
        status_name: status?.name ?? '',
        status_type: status?.type ?? 'other',
        relation_status: finished ? 'finished' : isLive() ? 'in_progress' : 'not_started',
        bet_status: finished || holds.size > 0 ? 'suspended' : 'active',
        clock_time: time,
        clock_status: clock === null ? null : 'runsSince' in clock ? 'running' : 'stopped',
        played_time: clock === null || time === null ? null : clock.before + time,
        winner_id: winner(),
        verified_result: verified ? 'yes' : 'no',
        details: details(),
        home: { results: results('home'), stats: stats('home') },
        away: { results: results('away'), stats: stats('away') },
      } as const;
    },
  };
}

/** Returns the official goals of a side in some periods, for a match whose single goals are unknown. */
function officialGoals(facts: MatchFacts, side: FactSide, periods: readonly Period[]): number {
  const index = side === 'home' ? 0 : 1;
  const [ht, ft, final] = [facts.ht[index], facts.ft[index], finalScore(facts)[index]];
  const first = periods.includes('1H') ? ht : 0;
  const second = periods.includes('2H') ? ft - ht : 0;
  return first + second + (periods.includes('E1') ? final - ft : 0);
}
