/** The figures that a ranking compares. Of every figure the larger value ranks higher. */
import type { CompetitionRules } from './competition-rules.ts';
import type { GameView, SeasonCutoff } from './game-set.ts';
import type { Game } from './games.ts';
import type { Criterion, OwnFigure } from './ranking-criteria.ts';
import { difference, emptyTally, type TeamTally, talliesAt, type Venue } from './tally.ts';

/** The counts of teams in the same games: all of them, and those at home or away on demand. */
export type TeamTallies = {
  readonly all: ReadonlyMap<number, TeamTally>;
  readonly at: (venue: 'home' | 'away') => ReadonlyMap<number, TeamTally>;
};

/** What ranks teams beside their own games. */
export type TableFigures = {
  /** The games in which opponents are found, with their sums; null: no opponents are known. */
  readonly cutoff: SeasonCutoff;
  readonly points: CompetitionRules['points'];
  /** Ranks before the stage, see `StageStart`; null without one. */
  readonly previousRanks: ReadonlyMap<number, number> | null;
};

/** Returns the counts of every team of `teams` up to a cutoff. `all`: the totals, corrections included. */
export function teamTallies(
  all: ReadonlyMap<number, TeamTally>,
  tallyAt: (venue: 'home' | 'away') => ReadonlyMap<number, TeamTally>,
): TeamTallies {
  const known = new Map<Venue, ReadonlyMap<number, TeamTally>>();
  return {
    all,
    at: (venue) => {
      const tallies = known.get(venue) ?? tallyAt(venue);
      known.set(venue, tallies);
      return tallies;
    },
  };
}

const NONE = emptyTally();

/** The value of each figure of one team's own games. */
const OWN: Readonly<Record<OwnFigure, (tallies: TeamTallies, id: number) => number>> = {
  points: total(({ points }) => points),
  // Equal fractions of small whole numbers have equal quotients; no games are no points.
  points_per_game: total(({ points, mp }) => points / Math.max(1, mp)),
  goals_diff: total(difference),
  goals_scored: total(({ scored }) => scored),
  goals_allowed: total(({ allowed }) => -allowed),
  goal_average: total(({ scored, allowed }) => (scored === 0 ? 0 : scored / allowed)),
  won: total(({ won }) => won),
  lost: total(({ lost }) => -lost),
  away_goals: venue('away', ({ scored }) => scored),
  away_goals_diff: venue('away', difference),
  away_won: venue('away', ({ won }) => won),
  away_points: venue('away', ({ points }) => points),
  home_goals: venue('home', ({ scored }) => scored),
  home_goals_diff: venue('home', difference),
  home_won: venue('home', ({ won }) => won),
};

function total(figureOf: (tally: TeamTally) => number) {
  return ({ all }: TeamTallies, id: number) => figureOf(all.get(id) ?? NONE);
}

function venue(at: 'home' | 'away', figureOf: (tally: TeamTally) => number) {
  return (tallies: TeamTallies, id: number) => figureOf(tallies.at(at).get(id) ?? NONE);
}

/** Returns the figure of a team's own games. */
export function ownFigure(figure: OwnFigure, tallies: TeamTallies, id: number): number {
  return OWN[figure](tallies, id);
}

/** Whether a criterion is a figure of a team's own games. */
export function isOwnFigure(criterion: Criterion): criterion is OwnFigure {
  return criterion in OWN;
}

/** Returns the figure of a team. */
export type FigureOf = (id: number) => number;

/** Returns the figure of a criterion; null when it is unknown for one of the teams. */
export function figuresOf(
  criterion: Criterion,
  ids: readonly number[],
  tallies: TeamTallies,
  { cutoff, points, previousRanks }: TableFigures,
): FigureOf | null {
  if (isOwnFigure(criterion)) return (id) => ownFigure(criterion, tallies, id);
  if (criterion === 'half_point') return (id) => (tallies.all.get(id) ?? NONE).halfPoint;
  if (criterion === 'previous_rank') {
    const ranks = previousRanks;
    return ranks === null || ids.some((id) => !ranks.has(id)) ? null : (id) => -(ranks.get(id) ?? 0);
  }
  const figureOf = OF_OPPONENTS[criterion];
  // Corrections of a team of the table are part of what its opponents' sums count.
  const ofAll = new Map([...talliesAt(cutoff, cutoff.games.teamIds(), points), ...tallies.all]);
  const opponents = cutoff.games.view(OPPONENTS);
  return (id) => {
    let sum = 0;
    for (const [opponent, games] of opponents.get(id) ?? []) {
      const times = [...games].filter((game) => !cutoff.without.has(game)).length;
      sum += times * figureOf(ofAll.get(opponent) ?? NONE);
    }
    return sum;
  };
}

const OF_OPPONENTS: Readonly<
  Record<Exclude<Criterion, OwnFigure | 'half_point' | 'previous_rank'>, (tally: TeamTally) => number>
> = {
  opponents_points: ({ points }) => points,
  opponents_goals_diff: difference,
  opponents_goals_scored: ({ scored }) => scored,
};

/** The games by team, then by opponent. */
const OPPONENTS: GameView<Map<number, Map<number, Set<Game>>>> = {
  empty: () => new Map(),
  change: (value, game, times) => {
    const { home, away } = game;
    for (const [id, other] of [
      [home.id, away.id],
      [away.id, home.id],
    ] as const) {
      const opponents = value.get(id) ?? new Map<number, Set<Game>>();
      const games = opponents.get(other) ?? new Set();
      if (times === 1) games.add(game);
      else games.delete(game);
      value.set(id, opponents.set(other, games));
    }
  },
};
