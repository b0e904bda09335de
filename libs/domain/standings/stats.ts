import type { GameSet, GameView } from './game-set.ts';
import { rankLeague, venueTallies } from './league.ts';
import { percentage, RESULTS, ratio } from './popular.ts';
import { type RankedSeason, teamRows } from './standing.ts';
import { emptyTally, type Part, type TeamTally, type Venue } from './tally.ts';
import type { RankedRow, Value } from './types.ts';

const VENUES = ['all', 'home', 'away'] as const;

/** Number of games by their total goals. */
type ByGoals = Map<number, number>;

/** The number of each team's games by total goals. */
const GOALS: GameView<Map<number, ByGoals>> = {
  empty: () => new Map(),
  change: (value, { home, away, score }, times) => {
    if (score === null) return;
    const goals = score.home + score.away;
    for (const { id } of [home, away]) {
      const games = value.get(id) ?? new Map();
      value.set(id, games.set(goals, (games.get(goals) ?? 0) + times));
    }
  },
};

/** The counts of one team over some games: at home, away and both. */
type VenueTallies = Readonly<Record<Venue, TeamTally>>;

/** Returns a row of figures for each team: at home, away and both, in whole games and halves. `toCome`: scheduled games. */
export function teamStatsRows(season: RankedSeason, toCome: GameSet): RankedRow[] {
  const { now } = season;
  const talliesIn = (part: Part): ((id: number) => VenueTallies) => {
    const [all, home, away] = VENUES.map((venue) => venueTallies(season, now, venue, part));
    const tallyOf = (tallies: typeof all, id: number) => tallies?.get(id) ?? emptyTally();
    return (id) => ({ all: tallyOf(all, id), home: tallyOf(home, id), away: tallyOf(away, id) });
  };
  const [whole, first, second] = [talliesIn('score'), talliesIn('firstHalf'), talliesIn('secondHalf')];
  const goals = now.games.view(GOALS);
  return teamRows(
    season,
    rankLeague(season),
    (id) =>
      new Map([
        ['scheduled', toCome.ofTeam(id).length],
        ...wholeStats(whole(id)),
        ...halfStats('first', first(id)),
        ...halfStats('second', second(id)),
        ...goalLines([...(goals.get(id) ?? [])], [0, 1, 2, 3, 4]),
      ]),
  );
}

/** Returns one row with the figures of all games of a season. `toCome`: scheduled games. */
export function overallStatsRow(season: RankedSeason, toCome: GameSet): RankedRow {
  // Each game has one home side, so that the figures of all home sides are those of all games.
  const atHome = (part: Part) => sumOf(venueTallies(season, season.now, 'home', part));
  const { mp, won: homeWon, lost: awayWon, scored: home, allowed: away } = atHome('score');
  const first = atHome('firstHalf');
  const second = atHome('secondHalf');
  const results = season.now.games.view(RESULTS).values();
  const values: [string, Value][] = [
    ['mp', mp],
    ['scheduled', toCome.size],
    ['home_won', homeWon],
    ['home_lost', awayWon],
    ['home_won_pct', percentage(homeWon, mp)],
    ['draw', mp - homeWon - awayWon],
    ['draw_pct', percentage(mp - homeWon - awayWon, mp)],
    ['away_won', awayWon],
    ['away_won_pct', percentage(awayWon, mp)],
    ['home_won_first_half', first.won],
    ['goals_scored', home + away],
    ['home_goals_scored', home],
    ['away_goals_scored', away],
    ['avg_goals_scored', ratio(home + away, mp)],
    ['avg_home_goals_scored', ratio(home, mp)],
    ['avg_away_goals_scored', ratio(away, mp)],
    ['1half_avg_goals_scored', ratio(first.scored + first.allowed, first.mp)],
    ['2half_avg_goals_scored', ratio(second.scored + second.allowed, second.mp)],
    // Goals allowed by one side are goals scored by the other.
    ['goals_allowed', home + away],
    ['away_goals_allowed', home],
    ['1half_goals_allowed', first.scored + first.allowed],
    ['avg_goals_allowed', ratio(home + away, mp)],
    ['home_avg_goals_allowed', ratio(away, mp)],
    ...goalLines(
      results.map(({ home: one, away: other, amount }) => [one + other, amount] as const).toArray(),
      [0, 1, 2],
    ),
  ];
  return { id: null, name: null, club: null, rank: 1, last_rank: null, values: new Map(values) };
}

function sumOf(tallies: ReadonlyMap<number, TeamTally>): TeamTally {
  const sum = emptyTally();
  for (const tally of tallies.values()) {
    for (const figure in sum) sum[figure as keyof TeamTally] += tally[figure as keyof TeamTally];
  }
  return sum;
}

function wholeStats({ all, home, away }: VenueTallies): [string, Value][] {
  return [
    ['mp', all.mp],
    ['avg_goals_scored', ratio(all.scored, all.mp)],
    ['avg_home_goals_scored', ratio(home.scored, home.mp)],
    ['avg_away_goals_scored', ratio(away.scored, away.mp)],
    ...figures('', all),
    ...figures('home_', home),
    ...figures('away_', away),
  ];
}

function figures(prefix: '' | 'home_' | 'away_', tally: TeamTally): [string, Value][] {
  return [
    [`${prefix}won`, tally.won],
    [`${prefix}draw`, tally.draw],
    [`${prefix}lost`, tally.lost],
    [`${prefix}won_pct`, percentage(tally.won, tally.mp)],
    [`${prefix}draw_pct`, percentage(tally.draw, tally.mp)],
    [`${prefix}lost_pct`, percentage(tally.lost, tally.mp)],
    [`${prefix}goals_scored`, tally.scored],
    [`${prefix}goals_allowed`, tally.allowed],
    [`${prefix}avg_goals_allowed`, ratio(tally.allowed, tally.mp)],
  ];
}

function halfStats(half: 'first' | 'second', { all, home, away }: VenueTallies): [string, Value][] {
  const short = half === 'first' ? '1half' : '2half';
  return [
    [`won_${half}_half`, all.won],
    [`draw_${half}_half`, all.draw],
    [`${short}_lost`, all.lost],
    [`goals_scored_${half}_half`, all.scored],
    [`goals_allowed_${half}`, all.allowed],
    [`${short}_avg_goals_scored`, ratio(all.scored, all.mp)],
    [`avg_goals_allowed_${half}_half`, ratio(all.allowed, all.mp)],
    ...halfVenueStats('home', half, home),
    ...halfVenueStats('away', half, away),
  ];
}

function halfVenueStats(
  venue: 'home' | 'away',
  half: 'first' | 'second',
  tally: TeamTally,
): [string, Value][] {
  return [
    [`${venue}_wins_${half}_half`, tally.won],
    [`${venue}_draw_${half}_half`, tally.draw],
    [`${venue}_losses_${half}_half`, tally.lost],
    [`${venue}_goals_scored_${half}_half`, tally.scored],
    [`${venue}_goals_allowed_${half}_half`, tally.allowed],
    [`${venue}_average_goals_allowed_${half}`, ratio(tally.allowed, tally.mp)],
  ];
}

/** Returns the numbers of games with more total goals than each line, and with fewer. `games`: number of games by total goals. */
function goalLines(
  games: readonly (readonly [goals: number, games: number])[],
  lines: readonly number[],
): [string, Value][] {
  const countAbove = (line: number) =>
    games.reduce((sum, [goals, count]) => (goals > line ? sum + count : sum), 0);
  const all = countAbove(-1);
  return lines.flatMap((line): [string, Value][] => {
    const over = countAbove(line);
    const under = all - over;
    return [
      [`over_${line}_5_goals`, over],
      [`over_${line}_5_goals_pct`, percentage(over, all)],
      [`under_${line}_5_goals`, under],
      [`under_${line}_5_goals_pct`, percentage(under, all)],
    ];
  });
}
