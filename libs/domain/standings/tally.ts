import type { CompetitionRules } from './competition-rules.ts';
import { type GameView, type SeasonCutoff, viewOf } from './game-set.ts';
import type { Game } from './games.ts';

/** A team's counts over some games, without points. */
type Counts = {
  mp: number;
  won: number;
  draw: number;
  lost: number;
  scored: number;
  allowed: number;
  /** Draws that a shoot-out decided for the team. */
  kicksWon: number;
  /** Draws that a shoot-out decided against the team. */
  kicksLost: number;
};

/** A team's counts over some games. */
export type TeamTally = Counts & {
  points: number;
  /** The part of a point that rounding took from the team (0.5) or gave it (-0.5) when its points were halved. */
  halfPoint: number;
};

/** Which score of a game counts: the final one, or that of a half. */
export type Part = 'score' | 'firstHalf' | 'secondHalf';

export type Venue = 'all' | 'home' | 'away';

/** Returns the counts of a team without games. */
export function emptyTally(): TeamTally {
  return { ...noCounts(), points: 0, halfPoint: 0 };
}

function noCounts(): Counts {
  return { mp: 0, won: 0, draw: 0, lost: 0, scored: 0, allowed: 0, kicksWon: 0, kicksLost: 0 };
}

/** Adds an outcome, or removes it. */
function count(counts: Counts, { outcome, kicks, scored, allowed }: GameOutcome, times: 1 | -1): void {
  counts.mp += times;
  counts[outcome] += times;
  if (kicks !== null) counts[kicks] += times;
  counts.scored += times * scored;
  counts.allowed += times * allowed;
}

/** Defines the view of each team's counts at home, or away. A game whose part is unknown counts for no one. */
function countsView(venue: 'home' | 'away', part: Part): GameView<Map<number, Counts>> {
  return {
    empty: () => new Map(),
    change: (value, game, times) => {
      const outcome = outcomeOf(game, venue, part);
      if (outcome === null) return;
      const { id } = game[venue];
      const counts = value.get(id) ?? noCounts();
      count(counts, outcome, times);
      value.set(id, counts);
    },
  };
}

const byPart = (venue: 'home' | 'away'): Record<Part, GameView<Map<number, Counts>>> => ({
  score: countsView(venue, 'score'),
  firstHalf: countsView(venue, 'firstHalf'),
  secondHalf: countsView(venue, 'secondHalf'),
});

const COUNTS = { home: byPart('home'), away: byPart('away') };
const VENUES = { all: ['home', 'away'], home: ['home'], away: ['away'] } as const;

/** Returns the counts of every team of `teams` up to a cutoff, at home, away or both. */
export function talliesAt(
  { games, without }: SeasonCutoff,
  teams: Iterable<number>,
  points: CompetitionRules['points'],
  venue: Venue = 'all',
  part: Part = 'score',
): Map<number, TeamTally> {
  const views = VENUES[venue].map((at) => COUNTS[at][part]);
  const counts = views.map((view) => games.view(view));
  const later = views.map((view) => viewOf(view, without));
  return new Map(Array.from(teams, (id) => [id, tallyOf(id, points, counts, later)]));
}

/** Returns the counts of every team of `teams` over some games. */
export function tallyGames(
  games: Iterable<Game>,
  teams: Iterable<number>,
  points: CompetitionRules['points'],
  venue: Venue = 'all',
): Map<number, TeamTally> {
  const all = [...games];
  const counts = VENUES[venue].map((at) => viewOf(COUNTS[at].score, all));
  return new Map(Array.from(teams, (id) => [id, tallyOf(id, points, counts, [])]));
}

type CountsOfTeams = ReadonlyMap<number, Counts>;

/** Returns the sum of a team's counts in `some`, minus that in `others`. */
function tallyOf(
  id: number,
  points: CompetitionRules['points'],
  some: readonly CountsOfTeams[],
  others: readonly CountsOfTeams[],
): TeamTally {
  const tally = emptyTally();
  for (const counts of some) add(tally, counts.get(id), 1);
  for (const counts of others) add(tally, counts.get(id), -1);
  tally.points = pointsOf(tally, points);
  return tally;
}

function add(tally: TeamTally, counts: Counts | undefined, times: 1 | -1): void {
  if (counts === undefined) return;
  tally.mp += times * counts.mp;
  tally.won += times * counts.won;
  tally.draw += times * counts.draw;
  tally.lost += times * counts.lost;
  tally.scored += times * counts.scored;
  tally.allowed += times * counts.allowed;
  tally.kicksWon += times * counts.kicksWon;
  tally.kicksLost += times * counts.kicksLost;
}

function pointsOf(
  { won, draw, lost, kicksWon, kicksLost }: Counts,
  { won: ofWin, draw: ofDraw, lost: ofLoss, shoot_out }: CompetitionRules['points'],
): number {
  const points = won * ofWin + draw * ofDraw + lost * ofLoss;
  if (shoot_out === null) return points;
  return points + kicksWon * (shoot_out.won - ofDraw) + kicksLost * (shoot_out.lost - ofDraw);
}

/** Returns the goals scored minus the goals allowed. */
export function difference({ scored, allowed }: TeamTally): number {
  return scored - allowed;
}

/** A game from the view of one of its teams. */
type GameOutcome = {
  readonly scored: number;
  readonly allowed: number;
  readonly outcome: 'won' | 'draw' | 'lost';
  /** Who won the shoot-out after a draw; null without one. */
  readonly kicks: 'kicksWon' | 'kicksLost' | null;
};

/** Returns a game from the view of its home or away team; null where the part's score is unknown. */
function outcomeOf(game: Game, venue: 'home' | 'away', part: Part): GameOutcome | null {
  const score = game[part];
  if (score === null) return null;
  if (game.bothLose && part === 'score')
    return { scored: score.home, allowed: score.away, outcome: 'lost', kicks: null };
  const other = venue === 'home' ? 'away' : 'home';
  const [scored, allowed] = [score[venue], score[other]];
  if (scored !== allowed) return { scored, allowed, outcome: scored > allowed ? 'won' : 'lost', kicks: null };
  const kicks = part === 'score' ? game.shootOut : null;
  if (kicks === null || kicks.home === kicks.away) return { scored, allowed, outcome: 'draw', kicks: null };
  return { scored, allowed, outcome: 'draw', kicks: kicks[venue] > kicks[other] ? 'kicksWon' : 'kicksLost' };
}

/** Yields a team's outcomes in its games up to a cutoff, newest first. */
export function* outcomesOf(
  { games, without }: SeasonCutoff,
  id: number,
  venue: Venue = 'all',
): Generator<GameOutcome> {
  for (const game of games.ofTeam(id).toReversed()) {
    if (without.has(game)) continue;
    const side = game.home.id === id ? 'home' : 'away';
    const outcome = venue === 'all' || venue === side ? outcomeOf(game, side, 'score') : null;
    if (outcome !== null) yield outcome;
  }
}

/** Returns the sum of some outcomes. */
export function tallyOutcomes(
  outcomes: Iterable<GameOutcome>,
  points: CompetitionRules['points'],
): TeamTally {
  const tally = emptyTally();
  for (const outcome of outcomes) count(tally, outcome, 1);
  tally.points = pointsOf(tally, points);
  return tally;
}

/** Returns the letter of an outcome: won, drawn or lost. */
export function letterOf({ outcome }: GameOutcome): 'W' | 'D' | 'L' {
  return outcome === 'won' ? 'W' : outcome === 'lost' ? 'L' : 'D';
}
