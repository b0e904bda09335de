import type { CompetitionRules } from '#contract/competition-rules.ts';
import { type Game, teamsOf } from './games.ts';
import type { Ranks } from './ranking.ts';
import { type Tally, tallyGames } from './tally.ts';
import type { Row, Team, Values } from './types.ts';

/** Games up to somewhere in the season. `day`: whose corrections are in force; null: all that are known. */
export type Stand = { readonly games: readonly Game[]; readonly day: string | null };

/** Positions at a stand. */
export type RankAt = (stand: Stand) => Ranks;

/** How things stand, and how they stood before the last round of each team. */
export type Season = {
  readonly rules: CompetitionRules;
  readonly now: Stand;
  readonly teams: ReadonlyMap<number, Team>;
  /** By team; teams with the same stand share the object. None where the team had not played before. */
  readonly before: ReadonlyMap<number, Stand>;
};

/** A season of the games that count; `all` may hold others, whose teams have their place in the tables too. */
export function seasonOf(
  games: readonly Game[],
  all: readonly Game[],
  rules: CompetitionRules,
  day: string | null,
): Season {
  return { rules, now: { games, day }, teams: teamsOf(all), before: standsBefore(games) };
}

/** Teams whose stands are the same share one, so that it is ranked once. */
function standsBefore(games: readonly Game[]): Map<number, Stand> {
  const last = new Map<number, { game: Game; played: number }>();
  for (const game of games) {
    for (const { id } of [game.home, game.away]) {
      last.set(id, { game, played: (last.get(id)?.played ?? 0) + 1 });
    }
  }
  const byEnd = new Map<string, Stand>();
  const stands: Stand[] = [];
  const before = new Map<number, Stand>();
  for (const [id, { game, played }] of last) {
    if (played < 2) continue;
    const end = `${game.round} ${game.start}`;
    const stand = byEnd.get(end) ?? shared(stands, gamesBefore(game, games));
    byEnd.set(end, stand);
    if (stand.games.length > 0) before.set(id, stand);
  }
  return before;
}

/**
 * The games before the round of a game: those that began earlier, without those of its round. One of its round that
 * was played long before is no part of this round as it is now: a team of it has played another since.
 */
function gamesBefore({ start, round }: Game, games: readonly Game[]): readonly Game[] {
  const earlier = games.slice(0, firstFrom(start, games));
  const isOfRound = (game: Game) => round !== null && game.round === round;
  const first = earlier.findIndex(isOfRound);
  if (first === -1) return earlier;
  const since = new Set<number>();
  const kept = earlier
    .splice(first)
    .reverse()
    .filter((game) => {
      const stays = !isOfRound(game) || since.has(game.home.id) || since.has(game.away.id);
      since.add(game.home.id).add(game.away.id);
      return stays;
    });
  return earlier.concat(kept.reverse());
}

/** Where the games that begin at a time, or later, begin; the games are in that order. */
function firstFrom(start: string, games: readonly Game[]): number {
  const after = games.findLastIndex((game) => game.start < start);
  return after + 1;
}

function shared(stands: Stand[], games: readonly Game[]): Stand {
  const same = stands.find(
    (stand) => stand.games.length === games.length && stand.games.every((game, at) => game === games[at]),
  );
  if (same !== undefined) return same;
  const stand = { games, day: games.at(-1)?.start.slice(0, 10) ?? null };
  stands.push(stand);
  return stand;
}

/** The corrections in force at a stand. */
export function correctionsAt(rules: CompetitionRules, day: string | null): CompetitionRules['corrections'] {
  return rules.corrections.filter(({ from }) => day === null || from === null || from <= day);
}

/** The totals of all teams at a stand, corrections included. */
export function totalsAt({ rules, teams }: Season, { games, day }: Stand): Map<number, Tally> {
  const tallies = tallyGames(games, teams.keys(), rules.points);
  for (const { participant_id, value } of correctionsAt(rules, day)) {
    const tally = tallies.get(participant_id);
    if (tally !== undefined) tally.points += value;
  }
  return tallies;
}

/** The position of a team or person before the last round of `team`; null where there was none. */
export function lastRanks(season: Season, rankAt: RankAt): (id: number, team?: number) => number | null {
  const known = new Map<Stand, Ranks>();
  return (id, team = id) => {
    const stand = season.before.get(team);
    if (stand === undefined) return null;
    const ranks = known.get(stand) ?? rankAt(stand);
    known.set(stand, ranks);
    return ranks.get(id) ?? null;
  };
}

/** The rows of a table of teams, in order. */
export function teamRows(season: Season, rankAt: RankAt, valuesOf: (id: number) => Values): Row[] {
  const last = lastRanks(season, rankAt);
  return Array.from(rankAt(season.now), ([id, rank]) => ({
    id,
    name: season.teams.get(id)?.name ?? null,
    club: null,
    rank,
    last_rank: last(id),
    values: valuesOf(id),
  }));
}
