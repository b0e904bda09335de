import type { CompetitionRules } from '#contract/competition-rules.ts';
import { type GameView, type SeasonCutoff, viewOf } from './game-set.ts';
import type { Game } from './games.ts';

/** A team's counts over some games, without points. */
type Counts = { mp: number; won: number; draw: number; lost: number; scored: number; allowed: number };

/** A team's counts over some games. */
export type TeamTally = Counts & { points: number };

/** Which score of a game counts: the final one, or that of a half. */
export type Part = 'score' | 'firstHalf' | 'secondHalf';

export type Venue = 'all' | 'home' | 'away';

/** Returns the counts of a team without games. */
export function emptyTally(): TeamTally {
  return { ...noCounts(), points: 0 };
}

function noCounts(): Counts {
  return { mp: 0, won: 0, draw: 0, lost: 0, scored: 0, allowed: 0 };
}

/** Adds an outcome, or removes it. */
function count(counts: Counts, scored: number, allowed: number, times: 1 | -1): void {
  counts.mp += times;
  counts[scored > allowed ? 'won' : scored < allowed ? 'lost' : 'draw'] += times;
  counts.scored += times * scored;
  counts.allowed += times * allowed;
}

/** Defines the view of each team's counts at home, or away. A game whose part is unknown counts for no one. */
function countsView(venue: 'home' | 'away', part: Part): GameView<Map<number, Counts>> {
  const other = venue === 'home' ? 'away' : 'home';
  return {
    empty: () => new Map(),
    change: (value, { [venue]: { id }, [part]: score }, times) => {
      if (score === null) return;
      const counts = value.get(id) ?? noCounts();
      count(counts, score[venue], score[other], times);
      if (counts.mp === 0) value.delete(id);
      else value.set(id, counts);
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
  games: readonly Game[],
  teams: Iterable<number>,
  points: CompetitionRules['points'],
): Map<number, TeamTally> {
  const counts = VENUES.all.map((at) => viewOf(COUNTS[at].score, games));
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
}

function pointsOf({ won, draw, lost }: Counts, points: CompetitionRules['points']): number {
  return won * points.won + draw * points.draw + lost * points.lost;
}

/** Returns the goals scored minus the goals allowed. */
export function difference({ scored, allowed }: TeamTally): number {
  return scored - allowed;
}

/** A game from the view of one of its teams. */
export type GameOutcome = { readonly scored: number; readonly allowed: number };

/** Yields a team's outcomes in its games up to a cutoff, newest first. */
export function* outcomesOf(
  { games, without }: SeasonCutoff,
  id: number,
  venue: Venue = 'all',
): Generator<GameOutcome> {
  const own = games.ofTeam(id);
  for (let at = own.length - 1; at >= 0; at -= 1) {
    const game = own[at];
    if (game === undefined || game.score === null || without.has(game)) continue;
    const { home, away } = game.score;
    if (game.home.id === id) {
      if (venue !== 'away') yield { scored: home, allowed: away };
    } else if (venue !== 'home') yield { scored: away, allowed: home };
  }
}

/** Returns the sum of some outcomes. */
export function tallyOutcomes(
  outcomes: Iterable<GameOutcome>,
  points: CompetitionRules['points'],
): TeamTally {
  const tally = emptyTally();
  for (const { scored, allowed } of outcomes) count(tally, scored, allowed, 1);
  tally.points = pointsOf(tally, points);
  return tally;
}

/** Returns the letter of an outcome: won, drawn or lost. */
export function letterOf({ scored, allowed }: GameOutcome): 'W' | 'D' | 'L' {
  return scored > allowed ? 'W' : scored < allowed ? 'L' : 'D';
}
