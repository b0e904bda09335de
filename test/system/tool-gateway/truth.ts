/** The truth about the tournament, from its data and its provider's reports, never from derived data. */
import {
  type Dataset,
  finalScore,
  type GoalPair,
  type MatchFacts,
  type Period,
} from '../../../data/dataset.ts';
import type { ProviderMessage } from '../../../services/simulator/records.ts';

const GOALS: ReadonlySet<unknown> = new Set([413, 421, 423]);
const GOAL_CANCELLED = 424;
/** Maximum time between a goal and a goal-cancelled incident that names none, seconds. */
const NEAR_SECONDS = 420;

/** Start of each period and its length without added time, minutes. */
const PERIODS: Readonly<Record<Exclude<Period, 'P'>, readonly [number, number]>> = {
  '1H': [0, 45],
  '2H': [45, 45],
  E1: [90, 15],
  E2: [105, 15],
};
const GOAL_KINDS: ReadonlySet<string> = new Set(['goal', 'penalty_goal', 'own_goal']);

export type TrueGoal = { readonly minute: string; readonly player: string };

export class TournamentTruth {
  readonly #dataset: Dataset;

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  team(id: number): string {
    return this.#dataset.competition.teams.find((team) => team.id === id)?.name ?? '';
  }

  name({ home, away }: MatchFacts): string {
    return `${this.team(home)} - ${this.team(away)}`;
  }

  match(name: string): MatchFacts {
    const found = this.#dataset.matches.find((facts) => this.name(facts) === name);
    if (found === undefined) throw new Error(`no match ${name}`);
    return found;
  }

  /** Returns the matches of a team in order, with the home side's score first. */
  matchesOf(team: string): { name: string; start: string; score: GoalPair; shootOut: GoalPair | null }[] {
    return this.#dataset.matches
      .filter(({ home, away }) => this.team(home) === team || this.team(away) === team)
      .map((facts) => ({
        name: this.name(facts),
        start: facts.date.slice(0, 16).replace('T', ' '),
        score: finalScore(facts),
        shootOut: facts.pens ?? null,
      }));
  }

  /** Returns the goals of a match without its shoot-out, in order. */
  goals({ events }: MatchFacts): TrueGoal[] {
    return events.flatMap(([period, second, kind, , person]) =>
      period === 'P' || !GOAL_KINDS.has(kind)
        ? []
        : [{ minute: minuteOf(period, second), player: this.player(person) }],
    );
  }

  /** Returns the score after a number of goals, without a shoot-out. */
  scoreAfter({ events }: MatchFacts, goals: number): string {
    const score = { home: 0, away: 0 };
    const counted = events.filter(([period, , kind]) => period !== 'P' && GOAL_KINDS.has(kind));
    for (const [, , kind, side] of counted.slice(0, goals)) {
      const other = side === 'home' ? 'away' : 'home';
      score[kind === 'own_goal' ? other : side] += 1;
    }
    return `${score.home}-${score.away}`;
  }

  ranking(group: string): string[] {
    const groups = this.#dataset.competition.stages.flatMap((stage) => stage.groups);
    return (groups.find(({ name }) => name === group)?.ranks ?? []).map((id) => this.team(id));
  }

  player(person: number): string {
    return this.#dataset.competition.players[person] ?? '';
  }
}

/**
 * Returns the cancelled goals, with the first cause of each. The data has no cancelled goals, so they are those without
 * a scorer.
 */
export function takenBack(messages: readonly ProviderMessage[]): { id: string; by: string }[] {
  const records = messages.flatMap(({ data: { incident } }) => (incident === undefined ? [] : [incident]));
  const goals = Map.groupBy(
    records.filter(({ incident_id }) => GOALS.has(incident_id)),
    ({ id }) => id,
  );
  return [...goals].flatMap(([id, versions]) => {
    const [first] = versions;
    if (first === undefined || versions.some(({ subparticipant_name }) => subparticipant_name !== null))
      return [];
    const took = records.find(
      (record) =>
        (record.id === id && (record.action === 'delete' || record.confirmation === 'cancelled')) ||
        (record.incident_id === GOAL_CANCELLED &&
          record.confirmation === 'confirmed' &&
          (record.parent_id === id ||
            (record.parent_id === null && record.ut > first.ut && record.ut - first.ut < NEAR_SECONDS))),
    );
    if (took === undefined) return [];
    if (took.id !== id) return [{ id, by: `incident ${took.id}, goal cancelled` }];
    return [{ id, by: took.action === 'delete' ? 'the provider removed it' : 'the provider cancelled it' }];
  });
}

/** Returns when the nth goal was first reported, in the order of ids. */
export function reportedAt(messages: readonly ProviderMessage[], nth: number): number {
  const goals = messages.filter(({ data: { incident } }) => GOALS.has(incident?.incident_id));
  const first = new Map(goals.toReversed().map(({ ut, data }) => [data.incident?.id ?? '', ut]));
  return [...first].sort(([a], [b]) => (a < b ? -1 : 1))[nth - 1]?.[1] ?? 0;
}

function minuteOf(period: Exclude<Period, 'P'>, second: number): string {
  const [begins, length] = PERIODS[period];
  const minute = Math.floor(second / 60) + 1;
  return minute > length ? `${begins + length}+${minute - length}` : String(begins + minute);
}
