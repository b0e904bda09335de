import type { CompetitionRules } from './competition-rules.ts';
import type { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import type { TeamTally, Venue } from './ranking-criteria.ts';

/** Which score of a game counts: the final one, or that of a half. */
export type Part = 'score' | 'firstHalf' | 'secondHalf';

type Points = CompetitionRules['points'];

/** Returns the counts of some outcomes. */
export function tallyOutcomes(outcomes: Iterable<GameOutcome>, points: Points): TeamTally {
  const tally = emptyTally();
  for (const outcome of outcomes) count(tally, outcome, points);
  return tally;
}

/** Returns the counts of a team without games. */
export function emptyTally(): TeamTally {
  return { mp: 0, won: 0, draw: 0, lost: 0, scored: 0, allowed: 0, points: 0, halfPoint: 0 };
}

function count(tally: TeamTally, { outcome, kicks, scored, allowed }: GameOutcome, points: Points): void {
  tally.mp += 1;
  tally[outcome] += 1;
  tally.scored += scored;
  tally.allowed += allowed;
  tally.points += points[outcome];
  if (kicks !== null && points.shoot_out !== null) tally.points += points.shoot_out[kicks] - points.draw;
}

const VENUES = { all: ['home', 'away'], home: ['home'], away: ['away'] } as const;

/** Returns the counts of every team of `teams` over some games, at home, away or both. A game whose part is unknown counts for no one. */
export function tallyGames(
  games: Iterable<Game>,
  teams: Iterable<number>,
  points: Points,
  venue: Venue = 'all',
  part: Part = 'score',
): Map<number, TeamTally> {
  const tallies = new Map(Array.from(teams, (id) => [id, emptyTally()]));
  for (const game of games) {
    for (const at of VENUES[venue]) {
      const tally = tallies.get(game[at].id);
      const outcome = tally === undefined ? null : outcomeOf(game, at, part);
      if (tally !== undefined && outcome !== null) count(tally, outcome, points);
    }
  }
  return tallies;
}

/** A game from the view of one of its teams. */
export type GameOutcome = {
  readonly scored: number;
  readonly allowed: number;
  readonly outcome: 'won' | 'draw' | 'lost';
  /** Who won the shoot-out after a draw; null without one. */
  readonly kicks: 'won' | 'lost' | null;
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
  return { scored, allowed, outcome: 'draw', kicks: kicks[venue] > kicks[other] ? 'won' : 'lost' };
}

/** Iterates over a team's outcomes in its games, newest first. */
export function outcomesOf(games: GameSet, id: number, venue: Venue = 'all'): IteratorObject<GameOutcome> {
  const newestFirst = games.ofTeam(id).toReversed().values();
  return newestFirst.flatMap((game) => {
    const side = game.home.id === id ? 'home' : 'away';
    const outcome = venue === 'all' || venue === side ? outcomeOf(game, side, 'score') : null;
    return outcome === null ? [] : [outcome];
  });
}

/** Returns the letter of an outcome: won, drawn or lost. */
export function letterOf({ outcome }: GameOutcome): 'W' | 'D' | 'L' {
  return outcome === 'won' ? 'W' : outcome === 'lost' ? 'L' : 'D';
}
