import type { CompetitionRules } from '#contract/competition-rules.ts';
import type { Score } from '#topics/generated/types.ts';
import type { Game } from './games.ts';

/** What a team did in some games. */
export type Tally = {
  mp: number;
  won: number;
  draw: number;
  lost: number;
  scored: number;
  allowed: number;
  points: number;
};

/** Which score of a game is meant. */
export type Part = 'score' | 'firstHalf' | 'secondHalf';

export type Venue = 'all' | 'home' | 'away';

/** No games. */
export function emptyTally(): Tally {
  return { mp: 0, won: 0, draw: 0, lost: 0, scored: 0, allowed: 0, points: 0 };
}

/** Adds a score, seen from its first side. */
function add(tally: Tally, scored: number, allowed: number, points: CompetitionRules['points']): void {
  const result = scored > allowed ? 'won' : scored < allowed ? 'lost' : 'draw';
  tally.mp += 1;
  tally[result] += 1;
  tally.scored += scored;
  tally.allowed += allowed;
  tally.points += points[result];
}

/**
 * What every team of `teams` did in the games; a game whose part is unknown counts nowhere, and one with a team that
 * is not among them is left out.
 */
export function tallyGames(
  games: Iterable<Game>,
  teams: Iterable<number>,
  points: CompetitionRules['points'],
  venue: Venue = 'all',
  part: Part = 'score',
): Map<number, Tally> {
  const tallies = new Map<number, Tally>();
  for (const id of teams) tallies.set(id, emptyTally());
  for (const game of games) {
    const score: Score | null = game[part];
    const home = tallies.get(game.home.id);
    const away = tallies.get(game.away.id);
    if (score === null || home === undefined || away === undefined) continue;
    if (venue !== 'away') add(home, score.home, score.away, points);
    if (venue !== 'home') add(away, score.away, score.home, points);
  }
  return tallies;
}

/** Goals scored less goals allowed. */
export function difference({ scored, allowed }: Tally): number {
  return scored - allowed;
}

/** A game as one of its teams had it. */
export type Outcome = { readonly scored: number; readonly allowed: number };

/** What every team of the games had in those with a known score, newest first; `most`: no more than so many. */
export function outcomesOf(
  games: readonly Game[],
  venue: Venue = 'all',
  most: number = Number.POSITIVE_INFINITY,
): Map<number, Outcome[]> {
  const outcomes = new Map<number, Outcome[]>();
  const put = (id: number, scored: number, allowed: number) => {
    const list = outcomes.get(id);
    if (list === undefined) outcomes.set(id, [{ scored, allowed }]);
    else if (list.length < most) list.push({ scored, allowed });
  };
  for (const { home, away, score } of games.toReversed()) {
    if (score === null) continue;
    if (venue !== 'away') put(home.id, score.home, score.away);
    if (venue !== 'home') put(away.id, score.away, score.home);
  }
  return outcomes;
}

/** The sum of some outcomes. */
export function tallyOutcomes(outcomes: readonly Outcome[], points: CompetitionRules['points']): Tally {
  const tally = emptyTally();
  for (const { scored, allowed } of outcomes) add(tally, scored, allowed, points);
  return tally;
}

/** W, D or L. */
export function letterOf({ scored, allowed }: Outcome): 'W' | 'D' | 'L' {
  return scored > allowed ? 'W' : scored < allowed ? 'L' : 'D';
}
