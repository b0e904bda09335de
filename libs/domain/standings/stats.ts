import type { Game } from './games.ts';
import { rankLeague, venueTallies } from './league.ts';
import { percentage, ratio } from './numbers.ts';
import { type Season, teamRows } from './standing.ts';
import { emptyTally, type Part, type Tally, type Venue } from './tally.ts';
import type { Row, Value } from './types.ts';

/** A team's figures of the games, at home, away and both, whole and by halves. */
export function teamStatsRows(season: Season, all: readonly Game[]): Row[] {
  const { games } = season.now;
  const tallies = (venue: Venue, part: Part) => venueTallies(season, games, venue, part);
  const of = {
    all: byPart((part) => tallies('all', part)),
    home: byPart((part) => tallies('home', part)),
    away: byPart((part) => tallies('away', part)),
  };
  const toCome = countToCome(all);
  return teamRows(season, rankLeague(season), (id) => {
    const own = games.filter(({ home, away }) => home.id === id || away.id === id);
    const at = (venue: Venue) => {
      const { score, firstHalf, secondHalf } = of[venue];
      return {
        score: score.get(id) ?? emptyTally(),
        firstHalf: firstHalf.get(id) ?? emptyTally(),
        secondHalf: secondHalf.get(id) ?? emptyTally(),
      };
    };
    return new Map([
      ['scheduled', toCome.get(id) ?? 0],
      ...wholeStats(at('all').score, at('home').score, at('away').score),
      ...halfStats('first', at('all').firstHalf, at('home').firstHalf, at('away').firstHalf),
      ...halfStats('second', at('all').secondHalf, at('home').secondHalf, at('away').secondHalf),
      ...goalLines(own, [0, 1, 2, 3, 4]),
    ]);
  });
}

/** The figures of a group's games together, as one row. */
export function overallStatsRow(games: readonly Game[], all: readonly Game[]): Row {
  const known = games.filter(({ score }) => score !== null);
  const [home, away] = sumOf(known, 'score');
  const [homeFirst, awayFirst] = sumOf(known, 'firstHalf');
  const [homeSecond, awaySecond] = sumOf(known, 'secondHalf');
  const mp = known.length;
  const won = (side: 'home' | 'away', part: Part) =>
    known.filter((game) => winnerOf(game, part) === side).length;
  const homeWon = won('home', 'score');
  const awayWon = won('away', 'score');
  const firstHalves = known.filter(({ firstHalf }) => firstHalf !== null).length;
  const secondHalves = known.filter(({ secondHalf }) => secondHalf !== null).length;
  const values: [string, Value][] = [
    ['mp', mp],
    ['scheduled', all.filter(({ state }) => state === 'to_come').length],
    ['home_won', homeWon],
    ['home_lost', awayWon],
    ['home_won_pct', percentage(homeWon, mp)],
    ['draw', mp - homeWon - awayWon],
    ['draw_pct', percentage(mp - homeWon - awayWon, mp)],
    ['away_won', awayWon],
    ['away_won_pct', percentage(awayWon, mp)],
    ['home_won_first_half', won('home', 'firstHalf')],
    ['goals_scored', home + away],
    ['home_goals_scored', home],
    ['away_goals_scored', away],
    ['avg_goals_scored', ratio(home + away, mp)],
    ['avg_home_goals_scored', ratio(home, mp)],
    ['avg_away_goals_scored', ratio(away, mp)],
    ['1half_avg_goals_scored', ratio(homeFirst + awayFirst, firstHalves)],
    ['2half_avg_goals_scored', ratio(homeSecond + awaySecond, secondHalves)],
    // What one side allows the other scores.
    ['goals_allowed', home + away],
    ['away_goals_allowed', home],
    ['1half_goals_allowed', homeFirst + awayFirst],
    ['avg_goals_allowed', ratio(home + away, mp)],
    ['home_avg_goals_allowed', ratio(away, mp)],
    ...goalLines(known, [0, 1, 2]),
  ];
  return { id: null, name: null, club: null, rank: 1, last_rank: null, values: new Map(values) };
}

function byPart(tally: (part: Part) => Map<number, Tally>): Record<Part, Map<number, Tally>> {
  return { score: tally('score'), firstHalf: tally('firstHalf'), secondHalf: tally('secondHalf') };
}

function countToCome(games: readonly Game[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { home, away, state } of games) {
    if (state !== 'to_come') continue;
    for (const { id } of [home, away]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function sumOf(games: readonly Game[], part: Part): [home: number, away: number] {
  let home = 0;
  let away = 0;
  for (const { [part]: score } of games) {
    home += score?.home ?? 0;
    away += score?.away ?? 0;
  }
  return [home, away];
}

function winnerOf(game: Game, part: Part): 'home' | 'away' | null {
  const score = game[part];
  if (score === null || score.home === score.away) return null;
  return score.home > score.away ? 'home' : 'away';
}

function wholeStats(all: Tally, home: Tally, away: Tally): [string, Value][] {
  return [
    ['mp', all.mp],
    ['won', all.won],
    ['draw', all.draw],
    ['lost', all.lost],
    ['won_pct', percentage(all.won, all.mp)],
    ['draw_pct', percentage(all.draw, all.mp)],
    ['lost_pct', percentage(all.lost, all.mp)],
    ['goals_scored', all.scored],
    ['goals_allowed', all.allowed],
    ['avg_goals_scored', ratio(all.scored, all.mp)],
    ['avg_goals_allowed', ratio(all.allowed, all.mp)],
    ['avg_home_goals_scored', ratio(home.scored, home.mp)],
    ['avg_away_goals_scored', ratio(away.scored, away.mp)],
    ...venueStats('home', home),
    ...venueStats('away', away),
  ];
}

function venueStats(venue: 'home' | 'away', tally: Tally): [string, Value][] {
  return [
    [`${venue}_won`, tally.won],
    [`${venue}_draw`, tally.draw],
    [`${venue}_lost`, tally.lost],
    [`${venue}_won_pct`, percentage(tally.won, tally.mp)],
    [`${venue}_draw_pct`, percentage(tally.draw, tally.mp)],
    [`${venue}_lost_pct`, percentage(tally.lost, tally.mp)],
    [`${venue}_goals_scored`, tally.scored],
    [`${venue}_goals_allowed`, tally.allowed],
    [`${venue}_avg_goals_allowed`, ratio(tally.allowed, tally.mp)],
  ];
}

function halfStats(half: 'first' | 'second', all: Tally, home: Tally, away: Tally): [string, Value][] {
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

function halfVenueStats(venue: 'home' | 'away', half: 'first' | 'second', tally: Tally): [string, Value][] {
  return [
    [`${venue}_wins_${half}_half`, tally.won],
    [`${venue}_draw_${half}_half`, tally.draw],
    [`${venue}_losses_${half}_half`, tally.lost],
    [`${venue}_goals_scored_${half}_half`, tally.scored],
    [`${venue}_goals_allowed_${half}_half`, tally.allowed],
    [`${venue}_average_goals_allowed_${half}`, ratio(tally.allowed, tally.mp)],
  ];
}

/** Games with more goals of both sides than a line, and with fewer. */
function goalLines(games: readonly Game[], lines: readonly number[]): [string, Value][] {
  const totals = games.flatMap(({ score }) => (score === null ? [] : score.home + score.away));
  return lines.flatMap((line): [string, Value][] => {
    const over = totals.filter((goals) => goals > line).length;
    const under = totals.length - over;
    return [
      [`over_${line}_5_goals`, over],
      [`over_${line}_5_goals_pct`, percentage(over, totals.length)],
      [`under_${line}_5_goals`, under],
      [`under_${line}_5_goals_pct`, percentage(under, totals.length)],
    ];
  });
}
