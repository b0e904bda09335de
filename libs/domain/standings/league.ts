import type { GameSet, Stand } from './game-set.ts';
import { type Ranks, rankByFigures, rankSplit, rankTeams } from './ranking.ts';
import { type RankAt, type SeasonStands, teamRows, totalsAt } from './standing.ts';
import {
  difference,
  emptyTally,
  type GameOutcome,
  letterOf,
  outcomesOf,
  type Part,
  type TeamTally,
  talliesAt,
  tallyOutcomes,
  type Venue,
} from './tally.ts';
import type { UnplacedRow, Value, Values } from './types.ts';

/** The league table; with the games being played in it, the live one. */
export function leagueRows(season: SeasonStands): UnplacedRow[] {
  const totals = totalsAt(season, season.now);
  return teamRows(season, rankLeague(season), (id) =>
    leagueValues('', totals.get(id), formOf(season, id, 'all')),
  );
}

/**
 * The live table: the league table as if all games being played ended now. `playing` includes games whose score is
 * unknown.
 */
export function liveRows(season: SeasonStands, playing: GameSet): UnplacedRow[] {
  return leagueRows(season).map((row) => {
    const game = row.id === null ? undefined : playing.ofTeam(row.id).at(-1);
    const live: [string, Value][] = [
      ['is_playing', game === undefined ? 'no' : 'yes'],
      ['home_result', game?.score?.home ?? ''],
      ['away_result', game?.score?.away ?? ''],
      ['event_id', game?.eventId ?? ''],
    ];
    return { ...row, values: new Map([...row.values, ...live]) };
  });
}

/** The league table with its home and away parts beside it. */
export function wideRows(season: SeasonStands): UnplacedRow[] {
  const totals = totalsAt(season, season.now);
  const parts = (['home', 'away'] as const).map((venue) => ({
    venue,
    tallies: venueTallies(season, season.now, venue, 'score'),
  }));
  return teamRows(season, rankLeague(season), (id) => {
    const split = parts.flatMap(({ venue, tallies }) => [
      ...leagueValues(`${venue}_`, tallies.get(id), formOf(season, id, venue)),
    ]);
    return new Map([...leagueValues('', totals.get(id), formOf(season, id, 'all')), ...split]);
  });
}

/** The table of home or of away games alone. Corrections belong to neither. */
export function venueRows(season: SeasonStands, venue: 'home' | 'away'): UnplacedRow[] {
  const tallies = venueTallies(season, season.now, venue, 'score');
  return teamRows(
    season,
    (stand) => rankSplit(venueTallies(season, stand, venue, 'score'), stand, season.rules),
    (id) => leagueValues(`${venue}_`, tallies.get(id), formOf(season, id, venue)),
  );
}

/** The table of first or of second halves. */
export function halfRows(season: SeasonStands, half: 'firstHalf' | 'secondHalf'): UnplacedRow[] {
  const tallies = venueTallies(season, season.now, 'all', half);
  const prefix = half === 'firstHalf' ? '1half_' : '2half_';
  return teamRows(
    season,
    (stand) => rankSplit(venueTallies(season, stand, 'all', half), stand, season.rules),
    (id) => {
      const { mp, ...values } = tallyValues(tallies.get(id));
      return new Map([['mp', mp], ...prefixed(prefix, values)]);
    },
  );
}

/** The table of the last matches of each team, as many as `form` shows. */
export function formRows(season: SeasonStands): UnplacedRow[] {
  const { rules, teams } = season;
  return teamRows(
    season,
    (stand) => {
      const tallies = new Map<number, TeamTally>();
      for (const id of teams.keys()) {
        const outcomes = outcomesOf(stand, id).take(rules.form_matches);
        tallies.set(id, tallyOutcomes(outcomes, rules.points));
      }
      return rankSplit(tallies, stand, rules);
    },
    (id) => new Map([['form', formOf(season, id, 'all')]]),
  );
}

/** The current runs of each team: how many of its last matches in a row were won, not won and so on. */
export function streakRows(season: SeasonStands): UnplacedRow[] {
  const streaksAt = (stand: Stand) =>
    new Map(Array.from(season.teams.keys(), (id) => [id, streaksOf(outcomesOf(stand, id))]));
  const now = streaksAt(season.now);
  return teamRows(
    season,
    (stand) => {
      const streaks = stand === season.now ? now : streaksAt(stand);
      return rankByFigures(Array.from(streaks, ([id, streak]) => [id, figuresOf(streak)]));
    },
    (id) => new Map(Object.entries(now.get(id) ?? {})),
  );
}

/** In the order in which they rank; of the last two, longer is worse. */
function figuresOf({
  wins,
  no_losses,
  draws,
  no_draws,
  no_wins,
  losses,
}: ReturnType<typeof streaksOf>): number[] {
  return [wins, no_losses, draws, no_draws, -no_wins, -losses];
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

/** Positions in the league table. */
export function rankLeague(season: SeasonStands): RankAt {
  const { rules, leagueRanks } = season;
  return (stand) => {
    const ranks: Ranks = leagueRanks.get(stand) ?? rankTeams(totalsAt(season, stand), stand, rules);
    leagueRanks.set(stand, ranks);
    return ranks;
  };
}

/** The counts of the teams at home, away or both, in a part of the games. */
export function venueTallies(
  { rules, teams }: SeasonStands,
  stand: Stand,
  venue: Venue,
  part: Part,
): Map<number, TeamTally> {
  return talliesAt(stand, teams.keys(), rules.points, venue, part);
}

/** Newest first, comma separated. */
function formOf({ rules, now }: SeasonStands, id: number, venue: Venue): string {
  return outcomesOf(now, id, venue).take(rules.form_matches).map(letterOf).toArray().join(',');
}

function leagueValues(prefix: string, tally: TeamTally | undefined, form: string): Values {
  return prefixed(prefix, { ...tallyValues(tally), form });
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

function prefixed(prefix: string, values: Readonly<Record<string, Value>>): Values {
  return new Map(Object.entries(values).map(([code, value]) => [prefix + code, value]));
}
