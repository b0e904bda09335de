import type { CompetitionRules } from '#contract/competition-rules.ts';
import type { ResultTeam } from '#topics/generated/types.ts';
import type { GameSet, Stand } from './game-set.ts';
import type { Game } from './games.ts';
import type { Ranks } from './ranking.ts';
import { type TeamTally, talliesAt } from './tally.ts';
import type { UnplacedRow, Values } from './types.ts';

/** Positions at a stand. */
export type RankAt = (stand: Stand) => Ranks;

/** The current standing, and the standing before the last round of each team. */
export type SeasonStands = {
  readonly rules: CompetitionRules;
  readonly now: Stand;
  readonly teams: ReadonlyMap<number, ResultTeam>;
  /** By team; teams with the same stand share the object. None for a team's first round. */
  readonly before: ReadonlyMap<number, Stand>;
  /** Positions in the league table, computed on demand: several tables are ranked by it. */
  readonly leagueRanks: Map<Stand, Ranks>;
};

/** A season of the games that count; `teams` also has teams without such a game, which have a row too. */
export function seasonOf(
  games: GameSet,
  teams: ReadonlyMap<number, ResultTeam>,
  rules: CompetitionRules,
): SeasonStands {
  const now = { games, without: new Set<Game>(), day: null };
  return { rules, now, teams, before: standsBefore(games), leagueRanks: new Map() };
}

/** Teams with equal stands share one, so that it is ranked once. */
function standsBefore(games: GameSet): Map<number, Stand> {
  const byEnd = new Map<string, Stand>();
  const stands: Stand[] = [];
  const before = new Map<number, Stand>();
  for (const id of games.teamIds()) {
    const own = games.ofTeam(id);
    const last = own.at(-1);
    if (last === undefined || own.length < 2) continue;
    const end = `${last.round} ${last.start}`;
    const stand = byEnd.get(end) ?? shared(stands, games, gamesSince(last, games));
    byEnd.set(end, stand);
    if (stand.without.size < games.size) before.set(id, stand);
  }
  return before;
}

/**
 * The games of the round of a game and all later ones. A game of the same round does not belong to it where one of its
 * teams has played another game since: it was played long before.
 */
function gamesSince({ start, round }: Game, games: GameSet): Set<Game> {
  const since = new Set(games.from(start));
  if (round === null) return since;
  const ofRound = new Set<Game>();
  for (const id of games.teamIds()) {
    const last = games.ofTeam(id).findLast((game) => game.start < start);
    if (last?.round !== round) continue;
    // The last game of both teams.
    if (ofRound.has(last)) since.add(last);
    ofRound.add(last);
  }
  return since;
}

function shared(stands: Stand[], games: GameSet, without: Set<Game>): Stand {
  const same = stands.find(
    (stand) => stand.without.size === without.size && [...without].every((game) => stand.without.has(game)),
  );
  if (same !== undefined) return same;
  const stand = { games, without, day: games.last(without)?.start.slice(0, 10) ?? null };
  stands.push(stand);
  return stand;
}

/** The corrections in force at a stand. */
export function correctionsAt(rules: CompetitionRules, day: string | null): CompetitionRules['corrections'] {
  return rules.corrections.filter(({ from }) => day === null || from === null || from <= day);
}

/** The totals of all teams at a stand, corrections included. */
export function totalsAt({ rules, teams }: SeasonStands, stand: Stand): Map<number, TeamTally> {
  const tallies = talliesAt(stand, teams.keys(), rules.points);
  for (const { participant_id, value } of correctionsAt(rules, stand.day)) {
    const tally = tallies.get(participant_id);
    if (tally !== undefined) tally.points += value;
  }
  return tallies;
}

/** The position of a team or person before the last round of `team`; null where it had none. */
export function lastRanks(
  season: SeasonStands,
  rankAt: RankAt,
): (id: number, team?: number) => number | null {
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
export function teamRows(
  season: SeasonStands,
  rankAt: RankAt,
  valuesOf: (id: number) => Values,
): UnplacedRow[] {
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
