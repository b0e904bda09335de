import type { Score } from '#records/types.ts';
import type { GameSet } from './game-set.ts';
import type { Game } from './games.ts';
import { rankLeague, venueTallies } from './league.ts';
import type { TeamTally, Venue } from './ranking-criteria.ts';
import { type RankedSeason, teamRows } from './standing.ts';
import { emptyTally, type Part } from './tally.ts';
import type { RankedRow, Value } from './types.ts';

const VENUES = ['all', 'home', 'away'] as const;

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
  return teamRows(
    season,
    rankLeague(season),
    (id) =>
      new Map([
        ['scheduled', toCome.ofTeam(id).length],
        ...wholeStats(whole(id)),
        ...halfStats('first', first(id)),
        ...halfStats('second', second(id)),
        ...goalLines(now.games.ofTeam(id), [0, 1, 2, 3, 4]),
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
    ...goalLines(season.now.games, [0, 1, 2]),
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
    ...Object.entries({ '': all, home_: home, away_: away }).flatMap(([prefix, tally]): [string, Value][] => [
      [`${prefix}won`, tally.won],
      [`${prefix}draw`, tally.draw],
      [`${prefix}lost`, tally.lost],
      [`${prefix}won_pct`, percentage(tally.won, tally.mp)],
      [`${prefix}draw_pct`, percentage(tally.draw, tally.mp)],
      [`${prefix}lost_pct`, percentage(tally.lost, tally.mp)],
      [`${prefix}goals_scored`, tally.scored],
      [`${prefix}goals_allowed`, tally.allowed],
      [`${prefix}avg_goals_allowed`, ratio(tally.allowed, tally.mp)],
    ]),
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
    ...Object.entries({ home, away }).flatMap(([venue, tally]): [string, Value][] => [
      [`${venue}_wins_${half}_half`, tally.won],
      [`${venue}_draw_${half}_half`, tally.draw],
      [`${venue}_losses_${half}_half`, tally.lost],
      [`${venue}_goals_scored_${half}_half`, tally.scored],
      [`${venue}_goals_allowed_${half}_half`, tally.allowed],
      [`${venue}_average_goals_allowed_${half}`, ratio(tally.allowed, tally.mp)],
    ]),
  ];
}

/** Returns the numbers of games with more total goals than each line, and with fewer. */
function goalLines(games: Iterable<Game>, lines: readonly number[]): [string, Value][] {
  const goals = [...games].flatMap(({ score }) => (score === null ? [] : score.home + score.away));
  return lines.flatMap((line): [string, Value][] => {
    const over = goals.filter((count) => count > line).length;
    const under = goals.length - over;
    return [
      [`over_${line}_5_goals`, over],
      [`over_${line}_5_goals_pct`, percentage(over, goals.length)],
      [`under_${line}_5_goals`, under],
      [`under_${line}_5_goals_pct`, percentage(under, goals.length)],
    ];
  });
}

/** Returns the rows of results, the most frequent first. Equal frequencies share a rank, ordered by fewer goals. */
export function popularResultRows(games: GameSet): RankedRow[] {
  const known = [...games].flatMap(({ score }) => score ?? []);
  const bySame = Map.groupBy(known, ({ home, away }) => `${home}:${away}`);
  const results = Array.from(bySame, ([name, same]) => ({
    ...(same[0] as Score),
    name,
    amount: same.length,
  }));
  results.sort((a, b) => b.amount - a.amount || a.home + a.away - b.home - b.away || a.home - b.home);
  const amounts = results.map(({ amount }) => amount);
  return results.map(({ name, amount }) => ({
    id: null,
    name,
    club: null,
    rank: amounts.indexOf(amount) + 1,
    last_rank: null,
    values: new Map<string, Value>([
      ['result', name],
      ['amount', amount],
      ['pct', percentage(amount, known.length)],
    ]),
  }));
}

/** Returns a ratio as in tables: with two decimals, rounded half up; null if the divisor is 0. */
export function ratio(count: number, divisor: number): number | null {
  return divisor === 0 ? null : Math.floor((count * 200 + divisor) / (divisor * 2)) / 100;
}

/** Returns a percentage in the form of `ratio`. */
export function percentage(count: number, total: number): number | null {
  return ratio(count * 100, total);
}
