import type { Game } from './games.ts';
import { rankBy, rankSplit, rankTeams } from './ranking.ts';
import { type Season, teamRows, totalsAt } from './standing.ts';
import {
  difference,
  emptyTally,
  letterOf,
  type Outcome,
  outcomesOf,
  type Part,
  type Tally,
  tallyGames,
  tallyOutcomes,
  type Venue,
} from './tally.ts';
import type { Row, Value, Values } from './types.ts';

/** The league table; with the games being played in it, the live one. */
export function leagueRows(season: Season): Row[] {
  const totals = totalsAt(season, season.now);
  const forms = formsOf(season, 'all');
  return teamRows(season, rankLeague(season), (id) => leagueValues('', totals.get(id), forms.get(id)));
}

/**
 * The live table: the league table as it would be if all that is being played ended now. `all` holds the games whose
 * score is unknown besides: they are being played too.
 */
export function liveRows(season: Season, all: readonly Game[]): Row[] {
  const playing = new Map<number, Game>();
  for (const game of all) {
    if (game.state !== 'playing') continue;
    playing.set(game.home.id, game);
    playing.set(game.away.id, game);
  }
  return leagueRows(season).map((row) => {
    const game = row.id === null ? undefined : playing.get(row.id);
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
export function wideRows(season: Season): Row[] {
  const totals = totalsAt(season, season.now);
  const forms = formsOf(season, 'all');
  const parts = (['home', 'away'] as const).map((venue) => ({
    prefix: `${venue}_`,
    tallies: venueTallies(season, season.now.games, venue, 'score'),
    forms: formsOf(season, venue),
  }));
  return teamRows(season, rankLeague(season), (id) => {
    const split = parts.flatMap(({ prefix, tallies, forms: form }) => [
      ...leagueValues(prefix, tallies.get(id), form.get(id)),
    ]);
    return new Map([...leagueValues('', totals.get(id), forms.get(id)), ...split]);
  });
}

/** The table of home or of away games alone. Corrections belong to neither. */
export function venueRows(season: Season, venue: 'home' | 'away'): Row[] {
  const tallies = venueTallies(season, season.now.games, venue, 'score');
  const forms = formsOf(season, venue);
  return teamRows(
    season,
    ({ games }) => rankSplit(venueTallies(season, games, venue, 'score'), season.rules),
    (id) => leagueValues(`${venue}_`, tallies.get(id), forms.get(id)),
  );
}

/** The table of first or of second halves. */
export function halfRows(season: Season, half: 'firstHalf' | 'secondHalf'): Row[] {
  const tallies = venueTallies(season, season.now.games, 'all', half);
  const prefix = half === 'firstHalf' ? '1half_' : '2half_';
  return teamRows(
    season,
    ({ games }) => rankSplit(venueTallies(season, games, 'all', half), season.rules),
    (id) => {
      const { mp, ...values } = tallyValues(tallies.get(id));
      return new Map([['mp', mp], ...prefixed(prefix, values)]);
    },
  );
}

/** The table of the last matches of each team, as many as `form` shows. */
export function formRows(season: Season): Row[] {
  const { rules, teams } = season;
  const forms = formsOf(season, 'all');
  return teamRows(
    season,
    ({ games }) => {
      const outcomes = outcomesOf(games, 'all', rules.form_matches);
      const tallies = new Map<number, Tally>();
      for (const id of teams.keys()) {
        tallies.set(id, tallyOutcomes(outcomes.get(id) ?? [], rules.points));
      }
      return rankSplit(tallies, rules);
    },
    (id) => new Map([['form', forms.get(id) ?? '']]),
  );
}

type Streaks = Readonly<Record<(typeof STREAKS)[number], number>>;

/** In the order in which they rank. */
const STREAKS = ['wins', 'no_losses', 'draws', 'no_draws', 'no_wins', 'losses'] as const;
/** Longer is worse. */
const WORSE: ReadonlySet<string> = new Set(['no_wins', 'losses']);

/** The runs that each team is on: how many of its last matches, without a break, were won, not won and so on. */
export function streakRows(season: Season): Row[] {
  const streaksAt = (games: readonly Game[]) => {
    const outcomes = outcomesOf(games);
    return new Map(Array.from(season.teams.keys(), (id) => [id, streaksOf(outcomes.get(id) ?? [])]));
  };
  const now = streaksAt(season.now.games);
  return teamRows(
    season,
    ({ games }) => {
      const streaks = streaksAt(games);
      return rankBy(streaks.keys(), (a, b) => {
        for (const streak of STREAKS) {
          const order = (streaks.get(b)?.[streak] ?? 0) - (streaks.get(a)?.[streak] ?? 0);
          if (order !== 0) return WORSE.has(streak) ? -order : order;
        }
        return 0;
      });
    },
    (id) => new Map(Object.entries(now.get(id) ?? {})),
  );
}

function streaksOf(outcomes: readonly Outcome[]): Streaks {
  const letters = outcomes.map(letterOf);
  const run = (goesOn: (letter: string) => boolean) => {
    const end = letters.findIndex((letter) => !goesOn(letter));
    return end === -1 ? letters.length : end;
  };
  return {
    wins: run((letter) => letter === 'W'),
    draws: run((letter) => letter === 'D'),
    losses: run((letter) => letter === 'L'),
    no_wins: run((letter) => letter !== 'W'),
    no_draws: run((letter) => letter !== 'D'),
    no_losses: run((letter) => letter !== 'L'),
  };
}

/** Positions in the league table. */
export function rankLeague(season: Season) {
  return (stand: Season['now']) => rankTeams(totalsAt(season, stand), stand.games, season.rules);
}

/** What the teams did at home, away or both, in a part of the games. */
export function venueTallies(
  { rules, teams }: Season,
  games: readonly Game[],
  venue: Venue,
  part: Part,
): Map<number, Tally> {
  return tallyGames(games, teams.keys(), rules.points, venue, part);
}

/** Newest first, with commas between. */
function formsOf({ rules, now }: Season, venue: Venue): Map<number, string> {
  const forms = new Map<number, string>();
  for (const [id, outcomes] of outcomesOf(now.games, venue, rules.form_matches)) {
    forms.set(id, outcomes.map(letterOf).join(','));
  }
  return forms;
}

function leagueValues(prefix: string, tally: Tally | undefined, form = ''): Values {
  return prefixed(prefix, { ...tallyValues(tally), form });
}

function tallyValues(tally: Tally = emptyTally()) {
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
