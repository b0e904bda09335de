/** The figures that a ranking compares. Of every figure the larger value ranks higher. */
import type { CompetitionRules } from './competition-rules.ts';
import type { GameSet } from './game-set.ts';
import type { Criterion, OwnFigure } from './ranking-criteria.ts';
import { difference, emptyTally, type TeamTally, tallyGames, type Venue } from './tally.ts';

/** Returns the counts of teams in the same games, at home, away or both. */
export type TalliesAt = (venue: Venue) => ReadonlyMap<number, TeamTally>;

/** What ranks teams beside their own games. */
export type TableFigures = {
  /** The games in which opponents are found, with their sums. */
  readonly games: GameSet;
  readonly points: CompetitionRules['points'];
  /** Ranks before the stage, see `StageStart`; null without one. */
  readonly previousRanks: ReadonlyMap<number, number> | null;
};

const NONE = emptyTally();

/** Each figure of one team's own games, and where these are played. */
const OWN: Readonly<Record<OwnFigure, readonly [Venue, (tally: TeamTally) => number]>> = {
  points: ['all', ({ points }) => points],
  // Equal fractions of small whole numbers have equal quotients; no games are no points.
  points_per_game: ['all', ({ points, mp }) => points / Math.max(1, mp)],
  goals_diff: ['all', difference],
  goals_scored: ['all', ({ scored }) => scored],
  goals_allowed: ['all', ({ allowed }) => -allowed],
  goal_average: ['all', ({ scored, allowed }) => (scored === 0 ? 0 : scored / allowed)],
  won: ['all', ({ won }) => won],
  lost: ['all', ({ lost }) => -lost],
  away_goals: ['away', ({ scored }) => scored],
  away_goals_diff: ['away', difference],
  away_won: ['away', ({ won }) => won],
  away_points: ['away', ({ points }) => points],
  home_goals: ['home', ({ scored }) => scored],
  home_goals_diff: ['home', difference],
  home_won: ['home', ({ won }) => won],
};

/** Returns the figure of a team. */
export type FigureOf = (id: number) => number;

/** Returns a figure of teams' own games. */
export function ownFigure(figure: OwnFigure, talliesAt: TalliesAt): FigureOf {
  const [venue, figureOf] = OWN[figure];
  const tallies = talliesAt(venue);
  return (id) => figureOf(tallies.get(id) ?? NONE);
}

/** Whether a criterion is a figure of a team's own games. */
export function isOwnFigure(criterion: Criterion): criterion is OwnFigure {
  return criterion in OWN;
}

/** Returns the figure of a criterion; null when it is unknown for one of the teams. */
export function figuresOf(
  criterion: Criterion,
  ids: readonly number[],
  talliesAt: TalliesAt,
  { games, points, previousRanks }: TableFigures,
): FigureOf | null {
  if (isOwnFigure(criterion)) return ownFigure(criterion, talliesAt);
  if (criterion === 'half_point') return (id) => (talliesAt('all').get(id) ?? NONE).halfPoint;
  if (criterion === 'previous_rank') {
    const ranks = previousRanks;
    return ranks === null || ids.some((id) => !ranks.has(id)) ? null : (id) => -(ranks.get(id) ?? 0);
  }
  const figureOf = OF_OPPONENTS[criterion];
  // Corrections of a team of the table are part of what its opponents' sums count.
  const ofAll = new Map([...tallyGames(games, games.teamIds(), points), ...talliesAt('all')]);
  return (id) =>
    games.ofTeam(id).reduce((sum, { home, away }) => {
      const opponent = home.id === id ? away.id : home.id;
      return sum + figureOf(ofAll.get(opponent) ?? NONE);
    }, 0);
}

const OF_OPPONENTS: Readonly<
  Record<Exclude<Criterion, OwnFigure | 'half_point' | 'previous_rank'>, (tally: TeamTally) => number>
> = {
  opponents_points: ({ points }) => points,
  opponents_goals_diff: difference,
  opponents_goals_scored: ({ scored }) => scored,
};
