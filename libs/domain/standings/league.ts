import type { GameSet } from './game-set.ts';
import { rankByFigures, rankSplit } from './ranking.ts';
import { difference, type TeamTally, type Venue } from './ranking-criteria.ts';
import {
  type RankAt,
  type RankedSeason,
  rankTable,
  type SeasonCutoff,
  teamRows,
  totalsAt,
} from './standing.ts';
import {
  emptyTally,
  type GameOutcome,
  letterOf,
  outcomesOf,
  type Part,
  tallyGames,
  tallyOutcomes,
} from './tally.ts';
import type { RankedRow, Value } from './types.ts';

/** Returns the rows of the league table. A season with the games in play gives the live table. */
export function leagueRows(season: RankedSeason): RankedRow[] {
  return teamRows(season, rankLeague(season), leagueValuesOf(season));
}

function leagueValuesOf(season: RankedSeason): (id: number) => Map<string, Value> {
  const totals = totalsAt(season, season.now);
  return (id) => leagueValues('', totals.get(id), formOf(season, id, 'all'));
}

/** Returns the league table as if all games in play ended now. `playing`: these games, those with an unknown score too. */
export function liveRows(season: RankedSeason, playing: GameSet): RankedRow[] {
  const valuesOf = leagueValuesOf(season);
  return teamRows(season, rankLeague(season), (id) => {
    const game = playing.ofTeam(id).at(-1);
    return valuesOf(id)
      .set('is_playing', game === undefined ? 'no' : 'yes')
      .set('home_result', game?.score?.home ?? null)
      .set('away_result', game?.score?.away ?? null)
      .set('event_id', game?.eventId ?? null);
  });
}

/** Returns the rows of the league table with their home and away parts. */
export function wideRows(season: RankedSeason): RankedRow[] {
  const valuesOf = leagueValuesOf(season);
  const parts = (['home', 'away'] as const).map((venue) => ({
    venue,
    tallies: venueTallies(season, season.now, venue, 'score'),
  }));
  return teamRows(season, rankLeague(season), (id) => {
    const split = parts.flatMap(({ venue, tallies }) => [
      ...leagueValues(`${venue}_`, tallies.get(id), formOf(season, id, venue)),
    ]);
    return new Map([...valuesOf(id), ...split]);
  });
}

/** Returns the rows of the table of home or away games alone. Corrections belong to neither. */
export function venueRows(season: RankedSeason, venue: 'home' | 'away'): RankedRow[] {
  const tallies = venueTallies(season, season.now, venue, 'score');
  return teamRows(
    season,
    (cutoff) => rankSplit(venueTallies(season, cutoff, venue, 'score'), cutoff.games, season.rules),
    (id) => leagueValues(`${venue}_`, tallies.get(id), formOf(season, id, venue)),
  );
}

/** Returns the rows of the table of first or second halves. */
export function halfRows(season: RankedSeason, half: 'firstHalf' | 'secondHalf'): RankedRow[] {
  const tallies = venueTallies(season, season.now, 'all', half);
  const prefix = half === 'firstHalf' ? '1half_' : '2half_';
  return teamRows(
    season,
    (cutoff) => rankSplit(venueTallies(season, cutoff, 'all', half), cutoff.games, season.rules),
    (id) => {
      const { mp, ...values } = tallyValues(tallies.get(id));
      return new Map([['mp', mp], ...prefixed(prefix, values)]);
    },
  );
}

/** Returns the rows of the form table: of the last matches of each team, as many as `form` shows. */
export function formRows(season: RankedSeason): RankedRow[] {
  const { rules, teams } = season;
  return teamRows(
    season,
    ({ games }) => {
      const last = (id: number) => outcomesOf(games, id).take(rules.form_matches);
      const tallies = Array.from(teams.keys(), (id) => [id, tallyOutcomes(last(id), rules.points)] as const);
      return rankSplit(new Map(tallies), games, rules);
    },
    (id) => new Map([['form', formOf(season, id, 'all')]]),
  );
}

/** Returns the rows of the streaks table: how many of a team's last matches in a row were won, not won, drawn and so on. */
export function streakRows(season: RankedSeason): RankedRow[] {
  const streakAt = ({ games }: SeasonCutoff, id: number) => streaksOf(outcomesOf(games, id));
  return teamRows(
    season,
    (cutoff) => rankByFigures(Array.from(season.teams.keys(), (id) => [id, figuresOf(streakAt(cutoff, id))])),
    (id) => new Map(Object.entries(streakAt(season.now, id))),
  );
}

/** Returns the streaks in the order in which they rank; of the last, longer is worse. The losses follow from those without a win or draw. */
function figuresOf({ wins, no_losses, draws, no_draws, no_wins }: ReturnType<typeof streaksOf>): number[] {
  return [wins, no_losses, draws, no_draws, -no_wins];
}

function streaksOf(outcomes: Iterable<GameOutcome>) {
  // How many games ago each letter occurred last; after all three no run continues.
  const ago = new Map<string, number>();
  let games = 0;
  for (const outcome of outcomes) {
    const letter = letterOf(outcome);
    if (!ago.has(letter)) ago.set(letter, games);
    if (ago.size === 3) break;
    games += 1;
  }
  const [no_wins, no_draws, no_losses] = [
    ago.get('W') ?? games,
    ago.get('D') ?? games,
    ago.get('L') ?? games,
  ];
  return {
    wins: Math.min(no_draws, no_losses),
    draws: Math.min(no_wins, no_losses),
    losses: Math.min(no_wins, no_draws),
    no_wins,
    no_draws,
    no_losses,
  };
}

/** Returns a function that ranks teams as the league table does. */
export function rankLeague(season: RankedSeason): RankAt {
  const { leagueRanks } = season;
  return (cutoff) => {
    const ranks = leagueRanks.get(cutoff) ?? rankTable(season, cutoff);
    leagueRanks.set(cutoff, ranks);
    return ranks;
  };
}

/** Returns the counts of the teams at home, away or both, in whole games or one half. */
export function venueTallies(
  { rules, teams }: RankedSeason,
  { games }: SeasonCutoff,
  venue: Venue,
  part: Part,
): Map<number, TeamTally> {
  return tallyGames(games, teams.keys(), rules.points, venue, part);
}

/** Returns the form of a team, e.g. `W,L,D`, newest game first. */
function formOf({ rules, now }: RankedSeason, id: number, venue: Venue): string {
  return [...outcomesOf(now.games, id, venue).take(rules.form_matches).map(letterOf)].join(',');
}

function leagueValues(prefix: string, tally: TeamTally | undefined, form: string): Map<string, Value> {
  return prefixed(prefix, tallyValues(tally)).set(`${prefix}form`, form);
}

function tallyValues(tally: TeamTally = emptyTally()) {
  return {
    mp: tally.mp,
    won: tally.won,
    draw: tally.draw,
    lost: tally.lost,
    goals_scored: tally.scored,
    goals_allowed: tally.allowed,
    goals_diff: difference(tally),
    pts: tally.points,
  };
}

function prefixed(prefix: string, values: Readonly<Record<string, Value>>): Map<string, Value> {
  const named = new Map<string, Value>();
  for (const [code, value] of Object.entries(values)) named.set(prefix + code, value);
  return named;
}
