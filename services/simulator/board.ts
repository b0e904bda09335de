import { INCIDENT, RESULT, STATUS, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import { type FactSide, finalScore, type MatchFacts, type Period } from '../../data/dataset.ts';
import { PERIOD_SHAPES, type StatusId } from './periods.ts';
import { opponent, type ScriptedChange, type ScriptedIncident } from './script.ts';

type Value = { readonly id: number; readonly value: number | string | null };
type Counted = { readonly side: FactSide; readonly phase: StatusId; counts: boolean };

/** The provider's ids of a team's statistics. */
const STAT = {
  yellowCards: 8,
  redCards: 9,
  penaltiesScored: 14,
  penaltiesMissed: 15,
  penaltiesGiven: 16,
  ownGoals: 17,
  substitutions: 31,
  goals: 40,
} as const;
const STAT_OF: ReadonlyMap<number, number> = new Map([
  [INCIDENT.yellowCard, STAT.yellowCards],
  [INCIDENT.redCard, STAT.redCards],
  [INCIDENT.penalty, STAT.penaltiesGiven],
  [INCIDENT.penaltyGoal, STAT.penaltiesScored],
  [INCIDENT.missedPenalty, STAT.penaltiesMissed],
  [INCIDENT.ownGoal, STAT.ownGoals],
  [INCIDENT.substitutionOut, STAT.substitutions],
]);

const PERIOD_OF: ReadonlyMap<StatusId, Period> = new Map(
  PERIOD_SHAPES.map(([period, status]) => [status, period]),
);
const ADDED_TIME: Readonly<Partial<Record<Period, number>>> = { '1H': 201, '2H': 202, E1: 203, E2: 204 };
/** Match time at the start of a period, seconds, for `played_time`. */
const PLAYED_BEFORE = new Map(PERIOD_SHAPES.map(([period, , , matchTime]) => [period, matchTime]));
const DETAIL = { periodLength: 16, periods: 17, extraPeriodLength: 50, extraTime: 58, timer: 124 } as const;

/** The changing fields of an event at a time, as the provider shows them. */
export type EventFields = {
  readonly status_id: StatusId;
  readonly status_name: string;
  readonly status_type: string;
  readonly relation_status: 'not_started' | 'in_progress' | 'finished';
  readonly bet_status: 'active' | 'suspended';
  readonly clock_time: number | null;
  readonly clock_status: 'running' | 'stopped' | null;
  readonly played_time: number | null;
  readonly winner_id: number | null;
  readonly verified_result: 'yes' | 'no';
  readonly details: readonly Value[];
  readonly home: { readonly results: readonly Value[]; readonly stats: readonly Value[] };
  readonly away: { readonly results: readonly Value[]; readonly stats: readonly Value[] };
};

/** The board of one match. Goals count as at the provider: one under review is in the score until it is taken back. */
export class SimulatedBoard {
  readonly #facts: MatchFacts;
  #status: StatusId = STATUS.notStarted;
  #finished = false;
  #verified = false;
  /** `runsSince`: start of a running clock, Unix seconds. `shows`: seconds on a stopped one. `before`: match time at its zero. */
  #clock:
    | { readonly runsSince: number; readonly before: number }
    | { readonly shows: number; readonly before: number }
    | null = null;
  readonly #begun = new Set<Period>();
  readonly #goals = new Map<string, Counted>();
  readonly #disallowed = new Map<string, string>();
  readonly #counted = new Map<string, { readonly side: FactSide; readonly stat: number }>();
  readonly #addedTime = new Map<Period, number>();
  readonly #holds = new Set<string>();

  constructor(facts: MatchFacts) {
    this.#facts = facts;
  }

  /** Whether the match is being played, breaks included. */
  get live(): boolean {
    return this.#begun.size > 0 && !this.#finished;
  }

  get running(): boolean {
    return this.#clock !== null && 'runsSince' in this.#clock;
  }

  /** Applies a change of the event; `at` is Unix seconds. */
  change(change: ScriptedChange, at: number): void {
    if (change.status !== undefined) this.#status = change.status;
    if (change.period !== undefined) {
      this.#begun.add(change.period);
      const before = PLAYED_BEFORE.get(change.period) ?? 0;
      this.#clock = change.period === 'P' ? { shows: 0, before } : { runsSince: at, before };
    }
    if (change.stops !== undefined)
      this.#clock = { shows: change.stops.shows, before: change.stops.played - change.stops.shows };
    if (change.addedTime !== undefined)
      this.#addedTime.set(change.addedTime.period, change.addedTime.minutes);
    if (change.suspend !== undefined) this.#holds.add(change.suspend);
    if (change.resume !== undefined) this.#holds.delete(change.resume);
    if (change.finished) this.#finished = true;
    if (change.verified) this.#verified = true;
  }

  apply(incident: ScriptedIncident): void {
    const { key, side, countsFor, cancels } = incident;
    const stands = incident.confirmation !== 'cancelled' && incident.action !== 'delete';
    if (countsFor !== undefined)
      this.#goals.set(key, { side: countsFor, phase: incident.phase, counts: stands });
    if (cancels !== undefined) {
      if (stands && incident.confirmation === 'confirmed') this.#disallowed.set(key, cancels.key);
      else this.#disallowed.delete(key);
    }
    const stat = STAT_OF.get(incident.type);
    if (stat === undefined || side === undefined || incident.phase === STATUS.shootOut) return;
    if (stands) this.#counted.set(key, { side, stat });
    else this.#counted.delete(key);
  }

  /** Returns the event's fields at `at`, Unix seconds. */
  show(at: number): EventFields {
    const status = STATUSES_OF_SOCCER.get(this.#status);
    const time =
      this.#clock === null ? null : 'shows' in this.#clock ? this.#clock.shows : at - this.#clock.runsSince;
    const inPlay = !this.#finished && this.#holds.size === 0;
    return {
      status_id: this.#status,
      status_name: status?.name ?? '',
      status_type: status?.type ?? 'other',
      relation_status: this.#finished ? 'finished' : this.live ? 'in_progress' : 'not_started',
      bet_status: inPlay ? 'active' : 'suspended',
      clock_time: time,
      clock_status: this.#clock === null ? null : this.running ? 'running' : 'stopped',
      played_time: this.#clock === null || time === null ? null : this.#clock.before + time,
      winner_id: this.#winner(),
      verified_result: this.#verified ? 'yes' : 'no',
      details: this.#details(),
      home: { results: this.#results('home'), stats: this.#stats('home') },
      away: { results: this.#results('away'), stats: this.#stats('away') },
    };
  }

  get #knockout(): boolean {
    return this.#facts.round === null;
  }

  #goalsOf(side: FactSide, periods: readonly Period[]): number {
    const disallowed = new Set(this.#disallowed.values());
    let goals = 0;
    for (const [key, goal] of this.#goals) {
      const period = PERIOD_OF.get(goal.phase);
      if (
        goal.counts &&
        goal.side === side &&
        !disallowed.has(key) &&
        period !== undefined &&
        periods.includes(period)
      )
        goals++;
    }
    return goals;
  }

  /** Returns the goals of a side in some periods; null before the first of them begins. */
  #result(side: FactSide, periods: readonly Period[]): number | null {
    if (!periods.some((period) => this.#begun.has(period))) return null;
    if (this.#facts.facts === 'all') return this.#goalsOf(side, periods);
    return this.#finished ? this.#official(side, periods) : null;
  }

  /** Returns the official goals of a side in some periods, for a match whose single goals are unknown. */
  #official(side: FactSide, periods: readonly Period[]): number {
    const index = side === 'home' ? 0 : 1;
    const { ht, ft } = this.#facts;
    const final = finalScore(this.#facts)[index];
    const first = periods.includes('1H') ? ht[index] : 0;
    const second = periods.includes('2H') ? ft[index] - ht[index] : 0;
    return first + second + (periods.includes('E1') ? final - ft[index] : 0);
  }

  #results(side: FactSide): Value[] {
    const regularOver = this.#finished || this.#begun.has('E1');
    const regular: readonly Period[] = ['1H', '2H'];
    const ahead = (this.#result(side, regular) ?? 0) > (this.#result(opponent(side), regular) ?? 0);
    const advanced = this.#finished && this.#advanced() === side;
    return [
      { id: RESULT.score, value: this.#result(side, ['1H', '2H', 'E1', 'E2']) },
      { id: RESULT.regularTime, value: this.#result(side, regular) },
      { id: RESULT.firstHalf, value: this.#result(side, ['1H']) },
      { id: RESULT.secondHalf, value: this.#result(side, ['2H']) },
      { id: RESULT.shootOut, value: this.#result(side, ['P']) },
      { id: RESULT.extraTime, value: this.#result(side, ['E1', 'E2']) },
      { id: RESULT.extraTimeFirstHalf, value: this.#result(side, ['E1']) },
      { id: RESULT.extraTimeSecondHalf, value: this.#result(side, ['E2']) },
      { id: RESULT.winner, value: regularOver && ahead ? 1 : 0 },
      { id: RESULT.progress, value: advanced ? 1 : 0 },
    ];
  }

  #stats(side: FactSide): Value[] {
    const goals = this.#result(side, ['1H', '2H', 'E1', 'E2']);
    const of = (stat: number): number =>
      [...this.#counted.values()].filter((one) => one.side === side && one.stat === stat).length;
    return Object.values(STAT).map((id) => ({
      id,
      value: this.#begun.size === 0 ? null : id === STAT.goals ? goals : of(id),
    }));
  }

  #details(): Value[] {
    return [
      { id: DETAIL.periodLength, value: 45 },
      { id: DETAIL.periods, value: 2 },
      { id: DETAIL.extraPeriodLength, value: 15 },
      { id: DETAIL.extraTime, value: this.#knockout ? null : 'No Extra Time' },
      { id: DETAIL.timer, value: 'up' },
      ...Object.entries(ADDED_TIME).map(([period, id]) => ({
        id,
        value: this.#addedTime.get(period as Period) ?? null,
      })),
    ];
  }

  /** Returns the winner's id, shoot-out included; null for a draw and before the end. */
  #winner(): number | null {
    if (!this.#finished) return null;
    const side = this.#advanced() ?? this.#leader();
    return side === undefined ? null : this.#facts[side];
  }

  #leader(): FactSide | undefined {
    for (const periods of [['P'], ['1H', '2H', 'E1', 'E2']] as const) {
      const home = this.#result('home', periods) ?? 0;
      const away = this.#result('away', periods) ?? 0;
      if (home !== away) return home > away ? 'home' : 'away';
    }
    return undefined;
  }

  /** Returns the side that advances to the next round; undefined in a league. */
  #advanced(): FactSide | undefined {
    return this.#knockout ? this.#leader() : undefined;
  }
}
